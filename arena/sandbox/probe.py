"""Which sandbox a player gets, and what it is known to hold: found out by trying to break it."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from arena.errors import SandboxError
from arena.model.containment import Asked, Guarantee, Held, Mode
from arena.model.contender import Prepared
from arena.model.fault import PlayerFault
from arena.sandbox import cgroups
from arena.sandbox import mounts as view
from arena.sandbox.canary import CanaryError, Sung, sing
from arena.sandbox.features import Means, found
from arena.sandbox.landlock import SCOPES_SINCE
from arena.sandbox.spawn import find_program
from arena.sandbox.visible_files import shown

_FROM_CGROUPS = {
    Guarantee.MEMORY: "memory",
    Guarantee.PROCESSES: "processes",
    Guarantee.CPU: "cpu",
}
"""What `cgroups.available` calls them."""
_IN_BWRAP = {
    Guarantee.PROCESSES: "rlimit",
    Guarantee.CPU: "seccomp",
    Guarantee.NETWORK: "namespace",
    Guarantee.FILES: "bwrap",
    Guarantee.DISK: "tmpfs",
    Guarantee.PIDS: "namespace",
    Guarantee.UID: "own user",
}
"""What holds a guarantee that no control group does."""
_IN_LIMITS = _IN_BWRAP | {
    Guarantee.NETWORK: "seccomp",
    Guarantee.FILES: "landlock",
    Guarantee.PIDS: "landlock",
}
_INSTALL = "Install bubblewrap (apt install bubblewrap, or dnf install bubblewrap)."


def resolve(asked: Asked, spec: Prepared, means: Means | None = None) -> Held:
    """The sandbox that `spec` gets on this machine when `asked`, and what it holds there.

    `auto` is bubblewrap, unless it cannot be used or holds less than limits do; its notes say so.
    The canary is sent once a process for the same question: 0.3 s. `means`: what of this machine
    may be used, by default all there is. Raises SandboxError.
    """
    means = found() if means is None else means
    if asked == "none":
        note = "Players are not contained; the referee watches their memory, nothing else."
        return Held(mode="none", by=dict.fromkeys(Guarantee), notes=(note,))
    if asked == "limits":
        return _held("limits", spec, means)
    if asked == "bwrap":
        return _held("bwrap", spec, means)
    try:
        inside = _held("bwrap", spec, means)
    except SandboxError as error:
        held = _held("limits", spec, means)
        return held.model_copy(update={"notes": (str(error), *held.notes)})
    if None not in inside.by.values():
        return inside
    limited = _held("limits", spec, means)
    return limited if _count(limited) > _count(inside) else inside


def _count(held: Held) -> int:
    return sum(way is not None for way in held.by.values())


def _held(mode: Mode, spec: Prepared, means: Means) -> Held:
    if mode == "bwrap" and means.bwrap is None:
        raise SandboxError(f"bubblewrap is not installed. {_INSTALL}")
    core = min(os.sched_getaffinity(0))
    result = _sung(mode, core, means, _closed(spec, means))
    if isinstance(result, str):
        if mode == "bwrap":
            raise SandboxError(f"bubblewrap cannot be used here: {result}. {_allow_bwrap()}")
        raise SandboxError(
            f"No player can be started within limits here: {result}. "
            'Use sandbox = "none" only for programs you trust.'
        )
    by: dict[Guarantee, str | None] = {}
    notes = []
    for guarantee in Guarantee:
        way, note = _judge(guarantee, mode, spec, means, result)
        by[guarantee] = way
        notes += [note] if note else []
    return Held(mode=mode, by=by, notes=tuple(notes))


@cache
def _sung(mode: Mode, core: int, means: Means, readable: tuple[str, ...]) -> Sung | str:
    """What the canary came back with, or why it could not be sent."""
    try:
        return sing(mode, (core,), means, readable)
    except (CanaryError, OSError) as error:
        return str(error).removesuffix(".")


def _closed(spec: Prepared, means: Means) -> tuple[str, ...]:
    """What of the player's own may keep root from giving it a user of its own."""
    if not means.root or view.possible():
        return ()
    search = spec.policy.environment.get("PATH", os.environ.get("PATH"))
    try:
        program = find_program(spec, search)
    except PlayerFault:  # it will not start either
        return ()
    return (program, *shown(spec, program, search).readable)


def _judge(
    guarantee: Guarantee, mode: Mode, spec: Prepared, means: Means, sung: Sung
) -> tuple[str | None, str | None]:
    """How a guarantee is held, or None; and a sentence where something is missing."""
    if guarantee is Guarantee.MEMORY and spec.memory_mb is None:
        return None, "memory is not held: memory_mb sets no limit."
    breaches = sung.breaches[guarantee]
    if breaches:
        could = ", ".join(breaches)
        remedy = _remedy(guarantee, mode, means, sung)
        return None, f"{guarantee} is not held: a player could {could}. {remedy}".rstrip()
    if guarantee is Guarantee.MEMORY and not sung.ended_for_memory:
        remedy = _remedy(guarantee, mode, means, sung)
        return "watched", f"memory is watched by the referee, not bounded by the system. {remedy}"
    if guarantee in sung.bounded:
        return "cpuset" if guarantee is Guarantee.CPU else "cgroup", None
    if mode == "limits" and guarantee is Guarantee.PIDS and means.landlock < SCOPES_SINCE:
        return "own user", None
    return (_IN_BWRAP if mode == "bwrap" else _IN_LIMITS)[guarantee], None


def _remedy(guarantee: Guarantee, mode: Mode, means: Means, sung: Sung) -> str:
    """What would bring a guarantee that is missing; a sentence, or nothing that we know of."""
    if guarantee in _FROM_CGROUPS:
        if not means.cgroups:
            return "A control group would hold it."
        wanted = _FROM_CGROUPS[guarantee]
        (there,) = [one for one in cgroups.available() if one.what == wanted]
        return f"A control group would hold it, but {there.missing}" if there.missing else ""
    if guarantee is Guarantee.UID:
        if not means.root:
            return "Start the arena as root to give each player a user of its own."
        if sung.user_kept is not None:
            return (
                f"{sung.user_kept} lies where only some users may enter; "
                "move it, or open its folders to all (chmod a+x)."
            )
        return ""
    if mode == "limits":
        return f"Bubblewrap would hold it. {_INSTALL if means.bwrap is None else ''}".rstrip()
    return ""


_SYSCTLS = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("user/max_user_namespaces", "0", "16384"),
)
"""Settings that take user namespaces from ordinary users: name, value that does, value wanted."""


def _allow_bwrap() -> str:
    """What to do where bubblewrap is there and may not work."""
    for name, forbids, allows in _SYSCTLS:
        file = Path("/proc/sys", name)
        if file.exists() and file.read_text().strip() == forbids:
            return f"Allow it with `sysctl -w {name.replace('/', '.')}={allows}`, as root."
    return (
        "In a container: start that with `--security-opt seccomp=unconfined --security-opt "
        "apparmor=unconfined --security-opt systempaths=unconfined`."
    )
