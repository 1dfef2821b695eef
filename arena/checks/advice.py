"""Advice: from a fault of a program to a change by its author."""

import codecs
import json
import os
import re
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from pydantic import ValidationError

import rules
from arena.checks.dialogue import Offence
from arena.checks.languages import PYTHON, Phrases
from arena.files.plain_text import printable
from arena.model.containment import Policy
from arena.model.contender import Prepared
from arena.model.protocol import Clock, End, Move, Quit, Start, Termination, Turn, excerpt
from arena.referee.failures import place_in
from arena.referee.requests import StartRequest, TurnRequest
from rules.position import PASS, MalformedMove, Position

_READY = '{"type":"ready","name":"my bot"}'
_MOVE = '{"type":"move","ply":8,"move":"d2"}'
_STOP_SOONER = "Stop the search when the `time_ms` of the turn is nearly over, with 50 ms to spare"

_MISSING_KEY = "KeyError: '([^']+)'"

_DISK_MB: int = Policy.model_fields["disk_mb"].default
_PROCESSES: int = Policy.model_fields["processes"].default

_STDERR: tuple[tuple[str, str], ...] = (
    (
        rf"partially initialized module '({'|'.join(sys.stdlib_module_names)})'"
        r"|consider renaming '(?:[^']*/)?([^'/]+)\.py' since it has the same name",
        "Rename {0}.py: it hides Python's own module {0}.",
    ),
    (
        r"Non-UTF-8 code starting with .* in file (?:.*/)?(.+ on line \d+), but no encoding",
        "Save it as UTF-8: another encoding begins in {0}.",
    ),
    (
        r"can't open file '([^']+)': \[Errno 2\]|error: file not found: (\S+\.java)\b"
        r"|Cannot find module '(/[^']+)'[\s\S]*requireStack: \[\]",
        "Correct the name in `command` of bot.toml: the folder has no {0}.",
    ),
    (
        r"_execute_child\n.*\nPermissionError: .*'([^']+)'|spawn (\S+) EACCES",
        "Make {0} executable (chmod +x {0}), and submit it as a .tar.gz or a folder.",
    ),
    (
        r"_execute_child\n.*\nFileNotFoundError: .*'([^']+)'|spawn (\S+) ENOENT"
        r"|No module named '?([\w.]+)|Cannot find (?:module|package) '([^']+)'"
        r"|([\w.+-]+): command not found|: \d+: ([\w.+-]+): not found"
        r"|cannot load such file -- (\S+)|module '([\w.]+)' not found"  # Ruby, Lua
        r"|you may need to install the ([\w:]+) module|Failed opening required '([^']+)'"
        r"|there is no package called .(\w[\w.]*)|module ([\w.]+) is not available"  # R, Elixir
        r"|can't find package (\S+)|library\((\w+)\)' does not exist",  # Tcl, Prolog
        "Include {0} with the program, in a folder with a bot.toml (`arena new` writes one): it is "
        "not installed where bots run, and a script is submitted alone.",
    ),
    (
        r"/multiprocessing/(?:forkserver|connection)\.py\"[\s\S]*PermissionError",
        'Start worker processes by "fork" or "spawn", and share by pipes and queues (Python: '
        'multiprocessing.get_context("spawn")): "forkserver" and Manager need sockets, which a '
        "sandbox may refuse.",
    ),
    (
        r"No space left on device|ENOSPC|File too large|EFBIG|\d+ requested and \d+ written",
        f"Write less: in a game $HOME, /tmp and /dev/shm hold {_DISK_MB} MB, in bubblewrap "
        f"/dev/shm {_DISK_MB // 2} MB and the others {_DISK_MB // 2} MB.",
    ),
    (
        r"can't start new thread|pthread_create|Thread creation failed|create native thread"
        r"|fork[\s\S]*Resource temporarily unavailable",
        f"Start fewer: a bot may have {_PROCESSES} processes and threads at a time.",
    ),
    (
        r"Network is unreachable|No matching distribution found|name resolution"
        r"|Name or service not known|ENETUNREACH|EAI_AGAIN|getaddrinfo|UnknownHostException"
        r"|UnresolvedAddress|connect E(?:ACCES|PERM)"
        r"|/socket\.py\"[\s\S]*PermissionError",
        "Play without the network: bots have none. Put the data the program fetches into its "
        "folder.",
    ),
    (
        r"Read-only file system|EROFS|Permission denied: '([^']+)'"
        r"|open\(.*['\"][awx]b?['\"].*\n(?:[ ~^]+\n)?FileNotFoundError",
        "Write no files next to the program: it may only write to the folder of the environment "
        "variable TMPDIR, and what it leaves there is gone after the game.",
    ),
    (
        r"[Nn]o such file or directory(?::|, open) '([^']*\\[^']*)'",
        "Write the path with / where it has \\, as bots run on Linux; and begin it with the "
        "program's own folder (Python: Path(__file__).parent / …): nothing else may be read.",
    ),
    (
        r"No such file or directory: '([^']+)'|no such file or directory, open '([^']+)'",
        "Put {0} next to the program, in a folder with a bot.toml (`arena new` writes one): a "
        "script is submitted alone. Open it by a path made from the program's own (Python: "
        "Path(__file__).parent); it may not be read from anywhere else.",
    ),
    (
        _MISSING_KEY,  # where it is one of `_fields`
        "Look up {0} only where it is sent: every message and every rule set has fields of its "
        "own (`arena schema` lists them).",
    ),
    (
        r"\n    (?![ ~^]+\n|.*stdin).*\n(?:[ ~^]+\n)?  File \".*/json/.*, in load\n"
        r"|(?:\bopen\((?!0)|read_text\(|read_bytes\().*\n(?:[ ~^]+\n)?  File \".*/json/"
        r"|JSONDecodeError: (?!Extra data|Unterminated|Expecting value: line 1 column 1 )"
        r"|SyntaxError: (?:Expected .* in JSON|Unexpected token (?:'|[^{] in JSON)|\S+\.json: "
        r"|\"(?:undefined|\[object))",
        "Correct what is parsed there: the referee sends nothing but JSON, so it is a file of the "
        "program, or a request that was cut, changed or parsed before.",
    ),
    (
        r"JSONDecodeError|in JSON at position|at JSON\.parse \(",
        "Read one line for one JSON object: each request is a line of its own, and there are "
        "no others.",
    ),
    (
        r"(?:for int\(\) with base 10|to float|For input string): ['\"]\{",
        "Parse each line as JSON (Python: json.loads(line)): a request is an object, not a number.",
    ),
    (
        r"UnsupportedClassVersionError",
        "Compile for the Java of this machine: `javac --release` with its number, or let `build` "
        "in bot.toml compile it.",
    ),
    (
        r"Could not find or load main class (\S+)",
        "Give the class with `main` and what starts it one name: there is no class {0}. A single "
        "file has the name of that class, and no `package`.",
    ),
    (
        r"env: .?([\w.+-]+).?: No such file",
        "Name an interpreter that exists in the #! line: {0} is not installed here.",
    ),
    (r"MemoryError|heap out of memory|OutOfMemoryError|bad_alloc", "Use less memory."),
    (r"RecursionError|StackOverflowError|call stack", "Search less deep, or without recursion."),
)
"""Patterns in the end of stderr, and advice; {0} is the match."""
_BEFORE = re.compile(
    r"[\s\S]*(?<!exception:\n\n)(?<!occurred:\n\n)(?=Traceback \(most recent call last\):\n)"
)
"""Text before Python's last error: errors that the program went on after, as it may log them."""
_ERROR = re.compile(r"Traceback|Error\b|Exception\b|panicked|not found")
"""In the words of a runtime, rather than of the program's own log."""

_SIGNALS = {
    "SIGSEGV": "bad memory access, or a recursion that is too deep",
    "SIGBUS": "bad memory access, also to a mapped file where /tmp or /dev/shm is full",
    "SIGFPE": "division by zero",
    "SIGILL": "an instruction this machine does not have",
    "SIGABRT": "it gave up by itself: a failed assertion, an exception that was not caught",
}
_WORDS = {"u": "up", "d": "down", "l": "left", "r": "right"}
_AGREEING = {"ok", "okay", "ready", "readyok", "start", "started", "yes"}
"""Answers to `start` of programs that do not write JSON."""
_SHELLS = {"sh", "bash", "dash"}
_ELF = b"\x7fELF"
_SYSTEMS = {b"MZ": "Windows", b"\xcf\xfa\xed\xfe": "macOS"}
"""Systems other than Linux that programs were compiled for, by their first bytes."""


def advise(offence: Offence, language: Phrases) -> str:
    """Advice for the author of the program, a sentence or two."""
    advice = _ADVICE[offence.termination]
    if isinstance(advice, str):
        return advice.format(**language._asdict())
    return advice(offence, language)


def _by_stderr(offence: Offence, then: str) -> str | None:
    """Advice by the end of stderr, and the consequence; None where stderr names no cause."""
    found_at = place_in(offence.stderr)
    place = f"{printable(found_at.file)}, line {found_at.line}" if found_at else ""
    text = _BEFORE.sub("", offence.stderr, count=1)
    for pattern, advice in _STDERR:
        match = re.search(pattern, text)
        if match and (pattern != _MISSING_KEY or match[1] in _fields()):
            named = next((group for group in match.groups() if group), "it")
            if named.startswith("/"):  # in a folder of the arena, or of the author's machine
                named = Path(named).name
            sentence = advice.format(printable(named))
            return f"{place}: {sentence}" if place else sentence
    return f"Fix the error in {place}; {then}." if place else None


@cache
def _fields() -> frozenset[str]:
    """The names of all fields that the referee may send. It tries the games of packages."""
    games = [rules.default(name) for name in rules.usable()]
    return frozenset().union(
        *(each.model_fields for each in (Start, Clock, Turn, End, Quit)),
        *(game.variant for game in games),
        *(game.start().state() for game in games),
    )


def _exited(offence: Offence, language: Phrases) -> str:
    if advice := _by_stderr(offence, "it ended the program"):
        return advice
    if "with code 0" in offence.detail:
        return (
            "Stay in the loop that reads requests: the program reached its end. "
            f"After `end` comes another `start` or `quit`; only `quit` ends it ({language.read})."
        )
    for name, meaning in _SIGNALS.items():
        if name in offence.detail and language is PYTHON:
            return (
                f"Python crashed with {name} ({meaning}). Begin with `import faulthandler; "
                "faulthandler.enable()`, which writes the line to stderr."
            )
        if name in offence.detail:
            return (
                f"The program crashed with {name} ({meaning}). Build it with -g "
                "-fsanitize=address, or run it in a debugger: play it by `arena match BOT monkey`, "
                "and `arena replay RUN GAME --as dialogue` prints what it was sent."
            )
    if offence.stderr.strip():
        return "Fix what the last lines on stderr name; it ended the program."
    return "Find where the program ends: print to stderr before and after each step of a turn."


def _timeout(offence: Offence, language: Phrases) -> str:
    belated, request = offence.belated, offence.request
    failed = belated is None and _ERROR.search(offence.stderr)
    if failed and (advice := _by_stderr(offence, "no answer came after it")):
        return advice
    if belated and belated.closed:
        return (
            "Flush each answer, and do not wait for the end of stdin: only when its stdin was "
            f"closed the program wrote {excerpt(belated.text)}. "
            f"Write so: {language.flush}; read so: {language.read}"
        )
    if "did not read its stdin" in offence.detail:
        return f"Read every line the referee sends: {language.read}"
    if isinstance(request, StartRequest):
        answer = f"{_READY} and a newline, flushed: {language.flush}"
        sooner = "load less, or build tables beforehand and put them into the bot's folder."
        if belated is None:
            return f"Answer `start` with {answer}. If that comes too late, {sooner}"
        return (
            f"Answer `start` within startup_ms: it came {belated.after_ms:.0f} ms late; {sooner} "
            f"The answer is {answer}"
        )
    ply = f" at ply {request.ply}" if isinstance(request, TurnRequest) else ""
    if belated:
        return f"{_STOP_SOONER}: the answer{ply} came {belated.after_ms:.0f} ms late."
    if "without a newline" in offence.detail:
        return f"End each answer with a newline, and flush it: {language.flush}"
    look = (
        "an endless loop, for waiting on a second line or on something other than stdin, and for "
        f"an answer that is not flushed: {language.flush}"
    )
    if offence.waited_ms is None:
        return (
            f"{_STOP_SOONER}: no reply came {offence.limit}, and it was not waited for longer. If "
            f"none comes at all, look for {look}"
        )
    return (
        f"Answer each `turn`: no reply came{ply} within {offence.waited_ms} ms after the deadline, "
        f"nor when stdin was closed then. Look for {look}"
    )


def _bad_utf8(offence: Offence, language: Phrases) -> str:
    if language is PYTHON:
        return (
            "Write UTF-8: json.dumps(reply) is plain ASCII, or call "
            'sys.stdout.reconfigure(encoding="utf-8") once.'
        )
    return "Write UTF-8 without a byte order mark, whatever the system's own encoding is."


def _bad_json(offence: Offence, language: Phrases) -> str:
    text = offence.heard.text.strip() if offence.heard else b""
    typed = text.decode(errors="replace").strip("\"'")
    request = offence.request
    if isinstance(request, TurnRequest) and (meant := _meant(typed, request.legal)):
        answer = {"type": "move", "ply": request.ply, "move": meant}
        so = json.dumps(answer, separators=(",", ":"))
        return f"Answer `turn` with a line of JSON, not only with the move: {so}"
    if text.startswith(codecs.BOM_UTF8) or b"\0" in text:
        return _bad_utf8(offence, language)
    if not text.startswith(b"{") and text.endswith(b"}") and b'{"type"' in text:
        return (
            "Write nothing before the reply in its line: no prompt (Python: input() without a "
            "text) and no debug text."
        )
    if isinstance(request, StartRequest) and typed.lower() in _AGREEING:
        return f"Answer `start` with a line of JSON, not with a word: {_READY}"
    if not text.startswith(b"{") and b'"type' not in text:
        return _to_stderr(language)
    if text.startswith(b"{'"):
        return (
            "Make JSON of the reply instead of printing it as it is: JSON wants double quotes. "
            f"{language.encode}"
        )
    if text == b"{":
        return f"Write the whole reply in one line, without indentation: {_MOVE}"
    if b"NaN" in text or b"Infinity" in text:
        return "Send finite numbers only: JSON has no NaN and no Infinity; leave the field out."
    if b"}{" in text or b"} {" in text:
        return "Write a newline after each reply: two of them share this line."
    return f"Write each reply as one JSON object in a line, such as {_MOVE}"


def _bad_schema(offence: Offence, language: Phrases) -> str:
    if offence.heard and not offence.heard.text.lstrip().startswith(b"{"):
        return _bad_json(offence, language)  # a number or a list, which debug text may be, too
    if isinstance(offence.request, StartRequest):
        return f"Answer `start` with {_READY}; `name`, `version` and `author` may be left out."
    try:
        Move.model_validate_json(offence.heard.text if offence.heard else b"")
    except ValidationError as error:
        if all(each["loc"][:1] == ("info",) for each in error.errors()):
            return (
                'Send `info` as an object such as {"score":1.5,"text":"corner"}, or leave it out: '
                "`score` is a number, `depth` and `nodes` are integers, `pv` is a list of strings, "
                "`text` is a string."
            )
    return (
        f'Answer `turn` with {_MOVE}: `ply` a whole number, 8 and not 8.0 or "8", `move` one '
        "of the strings in `legal`."
    )


def _unsolicited(offence: Offence, language: Phrases) -> str:
    text = offence.heard.text if offence.heard else b""
    if text.lstrip().startswith(b'{"type"'):
        return "Answer each `start` and `turn` once; `end` and `quit` are not answered."
    return _to_stderr(language)


def _to_stderr(language: Phrases) -> str:
    return f"Print debug text to stderr, not to stdout: {language.log}."


def _illegal(offence: Offence, language: Phrases) -> str:
    general = "Choose one of the strings in `legal` of the turn, and send it as it is."
    if offence.heard is None or offence.position is None:
        return general
    reply = json.loads(offence.heard.text)  # it was judged: JSON, with a move
    return about_move(reply["move"], offence.position) or general


_KEEP_OPEN = "Leave stdin and stdout open until `quit`; nothing in the program may close them."

_ADVICE: Mapping[Termination, str | Callable[[Offence, Phrases], str]] = {
    Termination.START_FAILED: (
        "Correct what the sentence names: the program's path, its #! line, or its permissions "
        "(chmod +x). What was compiled on another machine may not run here: let `build` in "
        "bot.toml compile it."
    ),
    Termination.EXITED: _exited,
    Termination.TIMEOUT: _timeout,
    Termination.STDIN_CLOSED: _KEEP_OPEN,
    Termination.STDOUT_CLOSED: _KEEP_OPEN,
    Termination.LINE_TOO_LONG: (
        "Keep each line below 64 KiB and end it with a newline: shorten `info`, and send debug "
        "text to stderr: {log}."
    ),
    Termination.FLOOD: (
        "Write one line for each `start` and `turn`, and nothing else; debug text belongs on "
        "stderr: {log}."
    ),
    Termination.BAD_UTF8: _bad_utf8,
    Termination.BAD_JSON: _bad_json,
    Termination.BAD_SCHEMA: _bad_schema,
    Termination.WRONG_PLY: (
        "Copy `ply` from the `turn` that is answered instead of counting moves: passes and chance "
        "moves count too, and a game may begin after an opening."
    ),
    Termination.UNSOLICITED: _unsolicited,
    Termination.ILLEGAL_MOVE: _illegal,
    Termination.OUT_OF_MEMORY: (
        "Bound the size of tables and search tree: the program uses more than its limit."
    ),
}
"""For every fault a player can commit: a text with phrases of the language, or its maker."""


def about_move(move: str, position: Position) -> str | None:
    """Advice by the move itself; None for an illegal move like any other."""
    legal = position.legal_moves()
    if move.lower() == PASS:
        return (
            "Never answer a pass: the referee plays forced passes, so each `turn` has a move. "
            "Choose one of `legal`."
        )
    if meant := _meant(move, legal):
        return f"Write moves as in `legal`: {meant}, not {move!r}."
    try:
        position.play(move)
    except MalformedMove as error:
        return f"Send one of the strings in `legal`: {error}."
    except ValueError:
        pass
    if position.to_move is None:
        return None
    with suppress(ValueError):  # only the seat to move has a move, or there is no other
        other = position.game.position({**position.state(), "to_move": 1 - position.to_move})
        if move in other.legal_moves():
            return (
                "Play the seat that `start` names (`seat`; `to_move` in `state`): this is a move "
                "of the other player."
            )
    return None


def _meant(move: str, legal: Collection[str]) -> str | None:
    """The legal move that is written in another way; None where there is none."""
    text = move.strip().lower()
    ways = (text, text[::-1], text[2:] + text[:2], _WORDS.get(text, ""))
    return next((way for way in ways if way in legal), None)


def launch_fix(spec: Prepared) -> str | None:
    """Advice on the file a command starts; None where it has no known mistake."""
    if Path(spec.command[0]).name in _SHELLS and (script := spec.command[1:2]):
        with suppress(OSError), Path(spec.cwd or ".", *script).open("rb") as file:
            if file.readline(200).endswith(b"\r\n"):
                return (
                    f"Save {script[0]} with Unix line ends: its lines end in a carriage return, "
                    f"which the shell takes for part of a word (sed -i 's/\\r$//' {script[0]})."
                )
    program = Path(spec.cwd or ".", spec.command[0])
    name = program.name
    try:
        with program.open("rb") as file:
            line = file.readline(200)
    except OSError:
        return None
    if not os.access(program, os.X_OK):
        return f"Make {name} executable: chmod +x {name}"
    if line.startswith(b"#!") and line.endswith(b"\r\n"):
        return (
            f"Save {name} with Unix line ends: its #! line ends in a carriage return, which the "
            f"system takes for part of the interpreter's name (sed -i 's/\\r$//' {name})."
        )
    if line.startswith(b"#!") and (words := line[2:].split()):
        interpreter = Path(words[0].decode(errors="replace"))
        if not interpreter.exists():
            return f"Name an interpreter that exists in the #! line of {name}, not {interpreter}."
    if system := next((name for head, name in _SYSTEMS.items() if line.startswith(head)), None):
        return (
            f"Have {name} compiled where it plays, as this one is for {system}: submit its source "
            "in a folder with a bot.toml whose `build` makes the program (`arena new` writes one)."
        )
    if line.startswith(codecs.BOM_UTF8 + b"#!"):
        return f"Save {name} without a byte order mark, which is before its #! line."
    if not line.startswith((b"#!", _ELF)):
        return (
            f"Begin {name} with the line of its interpreter, such as #!/usr/bin/env python3, "
            "name the interpreter in `command`, or submit a script of Python as .py."
        )
    return None
