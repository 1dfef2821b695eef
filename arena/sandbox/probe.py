"""The sandbox a player gets, and the guarantees it holds: found by trying to break out of it."""

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

from arena.errors import SandboxError
from arena.model.containment import Guarantee, Held, Mode, SandboxChoice
from arena.model.contender import Prepared
from arena.model.record import PlayerFault
from arena.sandbox import canary, cgroups
from arena.sandbox.canary import CanaryError, Findings
from arena.sandbox.features import Features, detect
from arena.sandbox.landlock import SCOPES_SINCE
from arena.sandbox.mounts import mounts_possible
from arena.sandbox.spawn import find_program
from arena.sandbox.stand_ins import past_stand_ins
from arena.sandbox.visible_files import visible_to

_FROM_CGROUPS = (Guarantee.MEMORY, Guarantee.PROCESSES, Guarantee.CPU)
_IN_BWRAP = {
    Guarantee.PROCESSES: "rlimit", Guarantee.CPU: "seccomp", Guarantee.NETWORK: "namespace",
    Guarantee.FILES: "bwrap", Guarantee.DISK: "tmpfs", Guarantee.PIDS: "namespace",
    Guarantee.UID: "own user",
}  # fmt: skip
"""The means that hold a guarantee where no control group does."""
_IN_LIMITS = _IN_BWRAP | {
    Guarantee.NETWORK: "seccomp", Guarantee.FILES: "landlock", Guarantee.PIDS: "landlock",
}  # fmt: skip
_UNSEEN = "take more memory than its limit until the referee sees it, or hide it as shared memory"
_SEES = "see sizes and times of files that it cannot read"
_SHARES = "use up the processes that its opponent may start"
_TRIES = 3
"""Of what counts with all processes of our user: programs around the arena may take its share."""
_INSTALL = "Install bubblewrap (apt install bubblewrap, or dnf install bubblewrap)."


def resolve(asked: SandboxChoice, spec: Prepared, features: Features | None = None) -> Held:
    """The sandbox that `spec` gets on this machine when `asked`, and the guarantees held; `auto`
    is bubblewrap unless limits hold more. The canary runs once for a question: 0.3 s. `features`:
    those of this machine that may be used, by default all. Raises SandboxError.
    """
    features = detect() if features is None else features
    if asked == "none":
        note = "Players are not contained; the referee watches their memory, nothing else."
        return Held(mode="none", by=dict.fromkeys(Guarantee), notes=(note,))
    if asked != "auto":
        return _held(asked, spec, features)
    try:
        inside = _held("bwrap", spec, features)
    except SandboxError as error:
        held = _held("limits", spec, features)
        notes = (*_left_open(spec, features), str(error), *held.notes)
        return held.model_copy(update={"notes": notes})
    missing = list(inside.by.values()).count(None)
    if not missing:
        return inside
    with suppress(SandboxError):  # no player can be started within limits: bubblewrap starts it
        limited = _held("limits", spec, features)
        if list(limited.by.values()).count(None) < missing:
            return limited
    return inside


def attempts(
    mode: Mode, spec: Prepared, features: Features | None = None
) -> dict[Guarantee, dict[str, bool]]:
    """The attacks that the canary tried in that sandbox, in words, and whether each was held off;
    none where no player can be started in it.
    """
    result = _tried(mode, spec, detect() if features is None else features)
    if isinstance(result, str):
        return {}
    return {
        guarantee: {words: words not in result.breaches[guarantee] for words in acts.values()}
        for guarantee, acts in canary.BREACHES.items()
    }


def _left_open(spec: Prepared, features: Features) -> tuple[str, ...]:
    """A sentence on all that a player can do within limits where no control group helps."""
    result = _tried("limits", spec, features)
    if isinstance(result, str) or result.bounded:
        return ()
    acts = [words for each in Guarantee for words in result.breaches[each]]
    acts += [] if result.ended_for_memory else [_UNSEEN]
    acts += [_SEES] if result.sees_others else []
    acts += [_SHARES] if _share_processes("limits", result) else []
    return (f"Without bubblewrap and control groups a player can still {'; '.join(acts)}.",)


def _tried(mode: Mode, spec: Prepared, features: Features) -> Findings | str:
    core = min(os.sched_getaffinity(0))
    return _findings(mode, core, features, _closed(spec, features))


def _held(mode: Mode, spec: Prepared, features: Features) -> Held:
    if mode == "bwrap" and features.bwrap is None:
        raise SandboxError(f"bubblewrap is not installed. {_INSTALL}")
    result = _tried(mode, spec, features)
    if isinstance(result, str):
        if mode == "bwrap":
            remedy = f" {_allow_bwrap()}" if result.startswith("bwrap: ") else ""
            raise SandboxError(f"bubblewrap cannot be used here: {result}.{remedy}")
        raise SandboxError(
            f"No player can be started within limits here: {result}. "
            'Use sandbox = "none" only for programs you trust.'
        )
    judged = {each: _judge(each, mode, spec, features, result) for each in Guarantee}
    return Held(
        mode=mode,
        by={guarantee: way for guarantee, (way, _) in judged.items()},
        notes=tuple(note for _, note in judged.values() if note),
    )


@cache
def _findings(
    mode: Mode, core: int, features: Features, readable: tuple[str, ...]
) -> Findings | str:
    failure = ""
    for _ in range(_TRIES if mode == "limits" and not features.root else 1):
        try:
            return canary.probe(mode, (core,), features, readable)
        except (CanaryError, OSError) as error:
            failure = str(error).removesuffix(".")
    return failure


def _closed(spec: Prepared, features: Features) -> tuple[str, ...]:
    """Files of the player that may keep root from giving it a user of its own."""
    if not features.root or mounts_possible():
        return ()
    path = spec.policy.environment.get("PATH", os.environ.get("PATH"))
    search = past_stand_ins(spec, path)
    try:
        program = find_program(spec, search)
    except PlayerFault:  # the player will not start either
        return ()
    return (program, *visible_to(spec, program, search).readable)


def _judge(
    guarantee: Guarantee, mode: Mode, spec: Prepared, features: Features, findings: Findings
) -> tuple[str | None, str | None]:
    """How a guarantee is held, or None; and a sentence where it is not or only in part."""

    def with_remedy(sentence: str) -> str:
        return f"{sentence} {_remedy(guarantee, mode, features, findings)}".rstrip()

    if guarantee is Guarantee.MEMORY and spec.memory_mb is None:
        return None, "memory is not held: memory_mb sets no limit."
    if breaches := ", ".join(findings.breaches[guarantee]):
        return None, with_remedy(f"{guarantee} is not held: a player could {breaches}.")
    if guarantee is Guarantee.MEMORY and not findings.ended_for_memory:
        sentence = "memory is watched by the referee, not bounded by the system."
        return "watched", with_remedy(sentence)
    if guarantee is Guarantee.FILES and findings.sees_others:
        return _IN_LIMITS[guarantee], with_remedy(f"files: a player can {_SEES}.")
    if guarantee is Guarantee.PROCESSES and _share_processes(mode, findings):
        sentence = f"processes: the processes of all players count together, so one can {_SHARES}."
        return "rlimit", with_remedy(sentence)
    if guarantee in findings.bounded:
        return "cpuset" if guarantee is Guarantee.CPU else "cgroup", None
    if mode == "limits" and guarantee is Guarantee.PIDS and features.landlock < SCOPES_SINCE:
        return "own user", None
    return (_IN_BWRAP if mode == "bwrap" else _IN_LIMITS)[guarantee], None


def _share_processes(mode: Mode, findings: Findings) -> bool:
    """Whether the system counts the processes of all players together: it counts those of a user,
    or of a user in a name space of its own.
    """
    own = mode != "limits" or not findings.breaches[Guarantee.UID]
    return not own and Guarantee.PROCESSES not in findings.bounded


def _remedy(guarantee: Guarantee, mode: Mode, features: Features, findings: Findings) -> str:
    """The remedy for a missing guarantee, as a sentence; empty where none is known."""
    if guarantee in _FROM_CGROUPS:
        if not features.cgroups:
            return "A control group would hold it."
        (there,) = [one for one in cgroups.available() if one.what == guarantee]
        return f"A control group would hold it, but {there.missing}" if there.missing else ""
    if guarantee is Guarantee.UID and not features.root:
        return "Start the arena as root to give each player a user of its own."
    if guarantee is Guarantee.UID and findings.user_kept is not None:
        return (
            f"{findings.user_kept} is in a folder that only some users may enter; "
            "move it, or open its folders to all (chmod a+x)."
        )
    if guarantee is not Guarantee.UID and mode == "limits":
        return f"Bubblewrap would hold it. {_INSTALL if features.bwrap is None else ''}".rstrip()
    return ""


_SYSCTLS = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("user/max_user_namespaces", "0", "16384"),
)
"""Settings that forbid user namespaces to ordinary users: name, forbidding value, wanted value."""


def _allow_bwrap() -> str:
    for name, forbids, allows in _SYSCTLS:
        file = Path("/proc/sys", name)
        if file.exists() and file.read_text().strip() == forbids:
            return f"Allow it with `sysctl -w {name.replace('/', '.')}={allows}`, as root."
    return (
        "In a container: start that with `--security-opt seccomp=unconfined --security-opt "
        "apparmor=unconfined --security-opt systempaths=unconfined`."
    )
