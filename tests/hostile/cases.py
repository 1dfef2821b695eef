"""Every way a player breaks, and what the referee should say of it: one table for all modes."""

from typing import Any, NamedTuple

from arena.model.containment import Guarantee
from arena.model.protocol import Termination
from tests.hostile.host import DISK_MB, PROCESSES

T = Termination
G = Guarantee
MOVE_MS, GRACE_MS, STARTUP_MS = 300, 200, 1200
BUDGET = 200
"""How many processes or threads a bomb tries to start where a sandbox holds it."""
BUDGET_UNHELD = 30


class Case(NamedTuple):
    """One fault of `tests/programs/hostile`."""

    fault: str
    ends: T
    """`natural` for what looks odd and is no fault."""
    says: str
    """A fragment of the sentence."""
    player: dict[str, Any] = {}  # noqa: RUF012 - never changed
    """Fields of the player."""
    move_ms: int = MOVE_MS


START = [
    Case("exits_at_start", T.EXITED, "exited with code 0 before `quit` was sent"),
    Case("traceback_at_start", T.EXITED, r"ImportError: no module named \x1b[31mbrain"),
    Case("hang_at_start", T.TIMEOUT, "had written nothing"),
    Case("slow_start", T.NATURAL, "-"),
    Case("banner", T.BAD_JSON, "`Welcome to SuperBot 3000`"),
    Case("speaks_first", T.UNSOLICITED, 'wrote before it was asked: `{"type": "ready"'),
]
"""Programs that are missing or cannot be run have no fault of the bot; see `test_start.py`."""

PROCESS = [
    Case("exit_0", T.EXITED, "exited with code 0 before `quit` was sent"),
    Case(
        "exit_3",
        T.EXITED,
        "exited with code 3 before `quit` was sent. The end of stderr: giving up",
    ),
    Case("segfault", T.EXITED, "was ended by SIGSEGV"),
    Case("realtime_signal", T.EXITED, "was ended by signal 40"),
    Case("kills_its_group", T.EXITED, "was ended by SIGKILL"),
    Case("spares_itself", T.NATURAL, "-"),
    Case("traceback", T.EXITED, "KeyError: 'best move'"),
    Case("leaves_after_answering", T.EXITED, "exited with code 0"),
    Case("parent_leaves", T.EXITED, "exited with code 5"),
    Case("stops_itself", T.TIMEOUT, "by the deadline"),
    Case("odd_name", T.TIMEOUT, "had written nothing"),
    Case("ignores_quit", T.NATURAL, "-"),
    Case("talks_after_end", T.NATURAL, "-"),
    Case("grandchild_keeps_pipe", T.NATURAL, "-"),
    Case("daemon", T.NATURAL, "-"),
    Case("subprocess_helper", T.NATURAL, "-"),
]

STREAMS = [
    Case("never_reads", T.TIMEOUT, "did not read its stdin", {"options": {"x": "o" * 200_000}}),
    Case("stderr_flood_at_start", T.NATURAL, "-"),
    Case("partial_then_exit", T.EXITED, "exited with code 1"),
    Case("partial_then_hang", T.TIMEOUT, 'only `{"type": "move"'),
    Case("slow_drip", T.TIMEOUT, 'only `{"type"'),
    Case("blank_drip", T.TIMEOUT, "by the deadline"),
    Case("nonblocking_hang", T.TIMEOUT, "by the deadline"),
    Case("closes_stdin", T.STDIN_CLOSED, "closed its stdin while it was still running"),
    Case("closes_stdout", T.STDOUT_CLOSED, "closed its stdout while it was still running"),
    Case("closes_stderr", T.NATURAL, "-"),
    Case("endless_line", T.LINE_TOO_LONG, "more than 64 KiB, beginning `xxxx"),
    Case("endless_lines", T.FLOOD, "wrote too much before it was asked"),
    Case("endless_blank_lines", T.FLOOD, "More than 100 blank lines"),
    Case("stderr_flood", T.NATURAL, "-"),
    Case("ready_1_mb_name", T.LINE_TOO_LONG, "more than 64 KiB"),
    Case("line_70_kb", T.LINE_TOO_LONG, "more than 64 KiB"),
    Case("blank_flood", T.FLOOD, "More than 100 blank lines"),
    Case("line_flood", T.FLOOD, "wrote too much before it was asked"),
]

TEXT = [
    Case("bad_utf8", T.BAD_UTF8, r"Byte 0xff at position 23 is not UTF-8: `{"),
    Case("utf16", T.BAD_UTF8, "Byte 0xff at position 0"),
    Case("utf16_no_bom", T.BAD_JSON, r"\x00"),
    Case("bom", T.BAD_JSON, r"`\ufeff{"),
    Case("nul", T.BAD_JSON, r"`\x00{"),
    Case("repr", T.BAD_JSON, "property name enclosed in double quotes"),
    Case("nan", T.BAD_JSON, "JSON has no NaN"),
    Case("infinity", T.BAD_JSON, "JSON has no -Infinity"),
    Case("overflow", T.BAD_JSON, "1e999 overflows"),
    Case("digits_60k", T.BAD_JSON, "an integer of 60000 digits"),
    Case("duplicate_key", T.BAD_JSON, "the key `ply` twice"),
    Case("deep_30k", T.BAD_JSON, "nested deeper than 64"),
    Case("deep_100k", T.LINE_TOO_LONG, "more than 64 KiB"),
    Case("debug_print", T.BAD_JSON, "`thinking about it`"),
    Case("trailing_text", T.BAD_JSON, "Extra data"),
    Case("ready_ansi", T.BAD_SCHEMA, "control character U+001B at position 0"),
    Case("ready_rtl", T.BAD_SCHEMA, "control character U+202E at position 0"),
    Case("ready_surrogate", T.BAD_SCHEMA, "lone surrogate U+D800"),
    Case("ready_wrong_kind", T.BAD_SCHEMA, "not a `ready` message: `type` should be 'ready'"),
    Case("ready_array", T.BAD_SCHEMA, "object, not an array"),
    Case("ready_number_name", T.BAD_SCHEMA, "`name` should be a valid string, got `7`"),
    Case("array", T.BAD_SCHEMA, "object, not an array"),
    Case("missing_move", T.BAD_SCHEMA, "`move` is missing"),
    Case("missing_ply", T.BAD_SCHEMA, "`ply` is missing"),
    Case("move_is_number", T.BAD_SCHEMA, "`move` should be a valid string, got `12`"),
    Case("wrong_kind", T.BAD_SCHEMA, "`type` should be 'move', got `\"ready\"`"),
    Case("unknown_kind", T.BAD_SCHEMA, "`type` should be 'move', got `\"resign\"`"),
    Case("surrogate", T.BAD_SCHEMA, "`info.text` has a lone surrogate U+DC80"),
    Case("info_text_control", T.BAD_SCHEMA, "`info.text` has a control character U+0009"),
    Case("ply_string", T.BAD_SCHEMA, "`ply` should be a valid integer"),
    Case("ply_float", T.BAD_SCHEMA, "`ply` should be a valid integer"),
    Case("stale_ply", T.WRONG_PLY, "but the turn has ply"),
    Case("boolean_ply", T.WRONG_PLY, "which is not an integer"),
    Case("illegal", T.ILLEGAL_MOVE, "`z9z8` is not legal at ply"),
    Case("illegal_case", T.ILLEGAL_MOVE, "`A1B1` is not legal at ply 0. Legal: a1b1, "),
    Case("illegal_ansi_like", T.ILLEGAL_MOVE, "(1000 bytes) is not legal"),
    *(
        Case(fault, T.NATURAL, "-")
        for fault in (
            "ready_path", "ready_umlaut", "ready_unknown_field", "info_60_kb", "info_whole",
            "crlf", "blank_lines", "blank_lines_100", "spaced",
        )
    ),
]  # fmt: skip

CLOCK = [
    Case("hangs", T.TIMEOUT, "had written nothing"),
    Case("its_thread_fails", T.TIMEOUT, "KeyError: 'no such key'"),
    Case("spins", T.TIMEOUT, "by the deadline"),
    Case("works_most", T.NATURAL, "-"),
    Case("works_twice", T.TIMEOUT, "by the deadline"),
    Case("late", T.TIMEOUT, "by the deadline"),
    Case("nearly_late", T.NATURAL, "-"),
    Case("ready_twice", T.UNSOLICITED, 'wrote before it was asked: `{"type": "ready"'),
    Case("answers_twice", T.UNSOLICITED, 'wrote before it was asked: `{"type": "move"'),
    Case("answers_early", T.UNSOLICITED, 'wrote before it was asked: `{"type": "move"'),
]

MEMORY = [
    Case(fault, T.OUT_OF_MEMORY, "80 MB are allowed", {"memory_mb": 80}, 5000)
    for fault in ("memory_hog", "memory_hog_in_forks")
]

FAULTS = [*START, *PROCESS, *STREAMS, *TEXT, *CLOCK, *MEMORY]
SYSTEM = [*START, *PROCESS, *STREAMS, *CLOCK, *MEMORY]
"""Those in which the system has a part. How text is read depends on no sandbox."""


class Act(NamedTuple):
    """One thing that a bot tries."""

    by: tuple[G, ...] | None
    """The guarantees that forbid it: any of them does. None: it is forbidden in every mode."""
    most: int | None = None
    """For what is counted: so much is allowed."""
    uncontained: bool = True
    """Whether it succeeds in mode `none`, by any user's referee. That it does there proves that
    it was tried."""


class Attack(NamedTuple):
    """A fault that is an act, or several. The game goes on as if nothing had been."""

    fault: str
    acts: dict[str, Act]
    in_none: bool = True
    """Whether it may be let loose in mode `none`: it does no harm besides what a test prepares."""
    player: dict[str, Any] = {}  # noqa: RUF012 - never changed
    opponent: str = "none"
    move_ms: int = 5000


def together(*attacks: Attack) -> Attack:
    """One after the other, by one player in one game: none may hinder the next. (Who is traced
    stops at each signal, so that has a game of its own.)
    """
    acts = {f"{each.fault}.{name}": act for each in attacks for name, act in each.acts.items()}
    return Attack("+".join(each.fault for each in attacks), acts)


CONTAINED = tuple(G)
"""Held by every mode but `none`."""

THOUGHT_MS = 500
PONDERED_MS = 100
"""Of that time: a player goes on until it is frozen, later on a busy host."""

ATTACKS = [
    Attack(
        "ponders",
        {"cpu_ms": Act(CONTAINED, most=PONDERED_MS)},
        opponent="unhurried",
        move_ms=2 * THOUGHT_MS,
    ),
    Attack("uses_many_cores", {"cores": Act((G.CPU,), most=1)}),
    Attack("fork_bomb", {"processes": Act((G.PROCESSES,), most=PROCESSES)}),
    Attack("thread_bomb", {"threads": Act((G.PROCESSES,), most=PROCESSES)}),
    Attack("huge_file", {"mb": Act((G.DISK,), most=DISK_MB)}, in_none=False),
    Attack("many_files", {"files": Act((), most=3000)}, in_none=False),
    Attack(
        "fills_shared_folders",
        {
            folder: Act((G.DISK,), most=DISK_MB)
            for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run/lock", "/dev/mqueue", "HOME")
        },
        in_none=False,
    ),
    Attack(
        "kills_referee",
        {"referee": Act((G.PIDS, G.UID)), "group": Act((G.PIDS, G.UID))},
        in_none=False,
    ),
    Attack("kills_everybody", {"referee": Act((G.PIDS, G.UID))}, in_none=False),
    Attack("kills_opponent", {}, in_none=False),
    Attack(
        "mounts",
        {name: Act(CONTAINED) for name in ("mount", "bind")},
        in_none=False,
    ),
    Attack(
        "traces_others",
        {
            "ptrace": Act((G.PIDS, G.UID), uncontained=False),
            "memory": Act((G.PIDS, G.UID), uncontained=False),
        },
    ),
    together(
        Attack(
            "inherits",
            {"descriptors": Act(None, uncontained=False), "environment": Act(CONTAINED)},
        ),
        Attack(
            "reads_proc",
            {
                "environ": Act((G.PIDS, G.UID)),
                "maps": Act((G.PIDS, G.UID)),
                "mem": Act((G.PIDS, G.UID), uncontained=False),
                "files": Act((G.PIDS, G.UID)),
                "cmdline": Act((G.PIDS,)),
            },
        ),
        Attack(
            "uses_network",
            {
                "tcp": Act((G.NETWORK,)),
                "udp": Act((G.NETWORK,)),
                "listen": Act((G.NETWORK,)),
                "raw": Act((G.NETWORK,), uncontained=False),
                "abstract": Act((G.NETWORK,)),
            },
        ),
        Attack(
            "reads_secrets",
            {
                "secret": Act((G.FILES, G.UID)),
                "public": Act((G.FILES,)),
                "listing": Act((G.FILES,)),
                "shadow": Act((G.FILES, G.UID), uncontained=False),
            },
        ),
        Attack(
            "writes_others_files",
            {
                "overwrite": Act((G.FILES,)),
                "create": Act((G.FILES,)),
                "folder": Act((G.FILES,)),
                "symlink": Act((G.FILES,)),
                "device": Act((G.FILES,), uncontained=False),
                "truncate": Act((G.FILES,)),
                "mode": Act((G.FILES,), uncontained=False),
                "rename": Act((G.FILES,)),
                "remove": Act((G.FILES,)),
                "program": Act((G.FILES,)),
            },
        ),
        Attack(
            "enters_namespaces",
            {
                name: Act(CONTAINED, uncontained=False)
                for name in (
                    "new_mounts",
                    "new_users",
                    "new_pids",
                    "new_network",
                    "clone",
                    "chroot",
                )
            },
        ),
        Attack(
            "gains_rights",
            {
                "setuid": Act((G.UID,), uncontained=False),
                "setgroups": Act((G.UID,), uncontained=False),
                "privileges": Act(CONTAINED),
                "realtime": Act((G.UID,), uncontained=False),
                "nice": Act((G.UID,), uncontained=False),
                "device": Act((G.FILES, G.UID), uncontained=False),
            },
        ),
        Attack(
            "leaves_its_tree",
            {name: Act(CONTAINED) for name in ("subreaper", "death_signal", "sibling", "system_v")},
        ),
    ),
]
