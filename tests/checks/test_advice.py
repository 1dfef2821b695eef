"""Advice without a process: what a move, last words on stderr or a command give away."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import rules
from arena.checks.advice import about_move, advise
from arena.checks.dialogue import Belated, Heard, Offence
from arena.checks.languages import ANY, CPP, JAVA, JAVASCRIPT, PYTHON, RUST, Phrases, language_of
from arena.model.protocol import Termination
from arena.model.record import PlayerFault
from arena.referee import sentences
from arena.referee.requests import StartRequest, TurnRequest


@pytest.mark.parametrize(
    ("game", "move", "message"),
    [
        ("othello", "D3", "d3, not 'D3'"),
        ("othello", " d3", "d3, not ' d3'"),
        ("othello", "3d", "d3, not '3d'"),
        ("othello", "PASS", "Never answer a pass"),
        ("othello", "d0", "'d0' is not a square"),
        ("othello", "d9", "'d9' is not a square"),
        ("othello", "e3", "a move of the other player"),
        ("dots", "b1a1", "a1b1, not 'b1a1'"),
        ("dots", "A1B1", "a1b1, not 'A1B1'"),
        ("dots", "a1c1", "the left or upper one first"),
        ("2048", "L", "left, not 'L'"),
        ("2048", "Left", "left, not 'Left'"),
        ("othello", "z99", "'z99' is not a square of the board, a1 to h8."),
        ("2048", "diagonal", "is not a move of 2048: expected up, down, left or right."),
    ],
)
def test_what_is_behind_an_illegal_move(game: str, move: str, message: str) -> None:
    position = rules.load(game).start(3)
    assert move not in position.legal_moves()
    assert message in (about_move(move, position) or "nothing")


def test_a_move_like_any_other_gives_nothing_away() -> None:
    assert about_move("d4", rules.load("othello").start()) is None


def exited(stderr: str) -> Offence:
    fault = PlayerFault(Termination.EXITED, "The player exited with code 1 while …")
    return Offence(fault, stderr=stderr)


STARTED = """  File "/usr/lib/python3.11/subprocess.py", line 1955, in _execute_child
    raise child_exception_type(errno_num, err_msg, err_filename)
"""


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        ("ModuleNotFoundError: No module named 'numpy'", "Include numpy with the program"),
        ("Error: Cannot find module './brain'", "Include ./brain with the program"),
        ("socket.gaierror: Temporary failure in name resolution", "without the network"),
        ("Error: connect EACCES 1.1.1.1:80", "without the network"),
        ("/usr/bin/env: ‘pythonn3’: No such file or directory", "pythonn3 is not installed here"),
        (
            "kernel_require.rb>:85:in `require': cannot load such file -- gem (LoadError)",
            "Include gem",
        ),
        ("lua5.4: bot.lua:2: module 'cjson' not found:", "bot.lua, line 2: Include cjson with"),
        (
            "Can't locate A/B.pm (you may need to install the A::B module) (…) at /srv/b line 2.",
            "b, line 2: Include A::B with",
        ),
        (
            "Error: Failed opening required 'v/load.php' (…) in /b/bot.php:3",
            "Include v/load.php with",
        ),
        (
            "Error in library(jsonlite) : there is no package called ‘jsonlite’",
            "Include jsonlite with",
        ),
        (
            "function Jason.decode/1 is undefined (module Jason is not available)",
            "Include Jason with",
        ),
        ("can't find package json", "Include json with"),
        ("ERROR:    source_sink `library(json)' does not exist", "Include json with"),
        ("env: can't execute 'x': No such file or directory", "Fix what the last lines"),
        (
            "Error: Cannot find module '/b/0a1b/bot.js'\n    at node:internal/main:28:49 {\n"
            "  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}",
            "Correct the name in `command` of bot.toml: the folder has no bot.js.",
        ),
        ("error: file not found: Bot.java", "the folder has no Bot.java"),
        ("error: file not found: weights.bin", "Fix what the last lines on stderr name"),
        ("bot: can't open file 'weights.bin'", "Fix what the last lines on stderr name"),
        ("python3: can't open file '/b/Bot.py': [Errno 2] No such file or directory", "no Bot.py"),
        (
            "Error: LinkageError occurred\njava.lang.UnsupportedClassVersionError: Bot has been "
            "compiled by a more recent version of the Java Runtime",
            "Compile for the Java of this machine",
        ),
        (
            "Error: Could not find or load main class Fox\n"
            "Caused by: java.lang.ClassNotFoundException: Fox",
            "one name: there is no class Fox. A single file has the name of that class, and no",
        ),
        ("OSError: [Errno 30] Read-only file system: 'log.txt'", "Write no files"),
        (
            f"{STARTED}PermissionError: [Errno 13] Permission denied: './engine'",
            "chmod +x ./engine",
        ),
        (f"{STARTED}FileNotFoundError: [Errno 2] No such file: 'edax'", "Include edax with the"),
        ("Error: spawn ./engine EACCES", "Make ./engine executable (chmod +x ./engine)"),
        ("Error: spawn edax ENOENT", "Include edax with the program"),
        (
            "    open('/home/ada/log.txt', 'a').write(move)\n    ^^^^\n"
            "FileNotFoundError: [Errno 2] No such file or directory: '/home/ada/log.txt'",
            "Write no files",
        ),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'w.json'", "Put w.json next to"),
        (
            r"FileNotFoundError: [Errno 2] No such file or directory: 'data\\w.json'",
            r"Write the path with / where it has \,",
        ),
        (
            r"Error: ENOENT: no such file or directory, open '/srv/data\w.json'",
            r"Write the path with / where it has \,",
        ),
        (
            'ValueError: invalid literal for int() with base 10: \'{"type":"start"\'',
            "Parse each line as JSON",
        ),
        (
            'java.lang.NumberFormatException: For input string: "{"type":"start","protocol":1"',
            "Parse each line as JSON",
        ),
        ("OSError: [Errno 28] No space left on device", "Write less: in a game $HOME"),
        ("OSError: 39321600 requested and 16777200 written", "hold 256 MB"),
        ("OSError: [Errno 27] File too large", "/dev/shm 128 MB and the others 128 MB"),
        ("RuntimeError: can't start new thread", "a bot may have 256 processes and threads"),
        (
            "    os.fork()\nBlockingIOError: [Errno 11] Resource temporarily unavailable",
            "Start fewer",
        ),
        (
            '  File "/usr/lib/python3.11/multiprocessing/forkserver.py", line 88, in connect\n'
            '  File "/usr/lib/python3.11/socket.py", line 232, in __init__\n'
            "PermissionError: [Errno 13] Permission denied",
            'Start worker processes by "fork" or "spawn"',
        ),
        ("ERROR: No matching distribution found for torch", "Play without the network"),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: '/b/0a1b/w.json'",
            "Put w.json next to the program, in a folder with a bot.toml (`arena new` writes one): "
            "a script is submitted alone.",
        ),
        ("  File \"/b/bot.py\", line 7, in <module>\nKeyError: 'size'", "bot.py, line 7: Look up"),
        (
            '  File "/b/bot.py", line 7, in choose\n  File "/b/sdk.py", line 90, in x\n'
            "KeyError: 'rows'",
            "bot.py, line 7: Look up",
        ),
        (
            '  File "/b/random.py", line 9, in <module>\nAttributeError: partially initialized '
            "module 'random' has no attribute 'choice' (most likely due to a circular import)",
            "random.py, line 9: Rename random.py: it hides Python's own module random.",
        ),
        (
            "AttributeError: module 'json' has no attribute 'loads' (consider renaming "
            "'/b/json.py' since it has the same name as the standard library module named 'json'",
            "Rename json.py: it hides Python's own module json.",
        ),
        (
            '  File "/b/bot.py", line 2, in f\nAttributeError: partially initialized module '
            "'brain' has no attribute 'f' (most likely due to a circular import)",
            "Fix the error in bot.py, line 2",
        ),
        (
            "SyntaxError: Non-UTF-8 code starting with '\\xe9' in file /b/a b/bot.py on line 2, "
            "but no encoding declared; see https",
            "Save it as UTF-8: another encoding begins in bot.py on line 2.",
        ),
        ("java.lang.OutOfMemoryError: Java heap space", "Use less memory"),
        (
            'Traceback:\n  File "/b/bot.py", line 3, in f\n'
            '  File "/usr/lib/python3.11/heapq.py", line 9\nIndexError',
            "Fix the error in bot.py, line 3",
        ),
        (
            "/b/bot.js:12\n    throw e\n    at f (/b/bot.js:40:3)",
            "Fix the error in bot.js, line 12",
        ),
        (
            "File \"bot.py\", line 4, in choose\n    return weights[m]\nKeyError: 'd3'",
            "Fix the error in bot.py, line 4",
        ),
        (
            "bot.js:2\n  const m = JSON.parse(line); print(m.legl[0])\n\nTypeError: no '0'\n"
            "    at Interface.<anonymous> (bot.js:2:50)\n    at node:internal/readline:1:2",
            "Fix the error in bot.js, line 2",
        ),
        (
            "SyntaxError: Unexpected token { in JSON at position 17\n"
            "    at JSON.parse (<anonymous>)\n    at Interface.<anonymous> (bot.js:3:9)",
            "bot.js, line 3: Read one line for one JSON object",
        ),
        (
            'Exception in thread "main" java.lang.IndexOutOfBoundsException: Index 3\n'
            "\tat java.base/jdk.internal.util.Preconditions.outOfBounds(Preconditions.java:64)\n"
            "\tat Bot.main(Bot.java:2)",
            "Fix the error in Bot.java, line 2",
        ),
        ("Exception in thread main\n\tat Bot.main(Bot.java:17)", "in Bot.java, line 17"),
        ("thread 'main' panicked at src/main.rs:5:9:", "in main.rs, line 5"),
        ("terminate called", "Fix what the last lines on stderr name"),
        ("", "Find where the program ends"),
    ],
)
def test_what_last_words_mean(stderr: str, expected: str) -> None:
    assert expected in advise(exited(stderr), PYTHON)


PARSED = (
    '  File "/b/bot.py", line 3, in f\n    {}\n    ^^^^\n'
    '  File "/usr/lib/python3.11/json/__init__.py", line 293, in {}\n    return loads(fp.read(),\n'
    "json.decoder.JSONDecodeError: {}"
)
EMPTY, TRAILING = "Expecting value: line 1 column 1 (char 0)", "Illegal trailing comma: line 2"
TWO = "Extra data: line 2 column 1 (char 17)"
READ = "bot.py, line 3: Read one line for one JSON object"
CORRECT = "bot.py, line 3: Correct what is parsed there"


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        (PARSED.format("json.loads(line)", "loads", EMPTY), READ),
        (PARSED.format("json.loads(text)", "loads", TWO), READ),
        (PARSED.format("json.load(sys.stdin)", "load", TWO), READ),
        (PARSED.format("json.loads(open(0).read())", "loads", TWO), READ),
        (PARSED.format("json.loads(text)", "loads", TRAILING), CORRECT),
        (PARSED.format("return json.load(file)", "load", EMPTY), CORRECT),
        (PARSED.format("json.loads(WEIGHTS.read_text())", "loads", TWO), CORRECT),
        (PARSED.format('json.loads(open("w.json").read())', "loads", EMPTY), CORRECT),
    ],
)
def test_a_request_is_distinguished_from_another_text_that_is_parsed(
    stderr: str, expected: str
) -> None:
    assert expected in advise(exited(stderr), PYTHON)


MISSING = (
    'Traceback (most recent call last):\n  File "/b/bot.py", line 3, in f\n    open("book")\n'
    "FileNotFoundError: [Errno 2] No such file or directory: 'book'\n"
)
OTHER = (
    'Traceback (most recent call last):\n  File "/b/bot.py", line 9, in f\n    1 / 0\n'
    "ZeroDivisionError: division by zero\n"
)


def test_an_error_that_the_program_went_on_after_gives_no_advice() -> None:
    said = advise(exited(f"{MISSING}no book\n{OTHER}"), PYTHON)
    assert said == "Fix the error in bot.py, line 9; it ended the program."


@pytest.mark.parametrize(
    "between",
    [
        "The above exception was the direct cause of the following exception:",
        "During handling of the above exception, another exception occurred:",
    ],
)
def test_the_cause_of_the_last_error_gives_advice(between: str) -> None:
    assert "Put book next to" in advise(exited(f"{MISSING}\n{between}\n\n{OTHER}"), PYTHON)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("Unexpected end of JSON input", "Read one line"),
        ("Unexpected non-whitespace character after JSON at position 17", "Read one line"),
        ("Unexpected token h in JSON at position 1", "Correct what"),
        ("Expected double-quoted property name in JSON at position 7", "Correct what"),
        ("Unexpected token ',', \"{\n 'a':,\n}\" is not valid JSON", "Correct what"),
        ("/b/w.json: Unexpected end of JSON input", "Correct what"),
        ('"[object Object]" is not valid JSON', "Correct what"),
    ],
)
def test_the_same_of_javascript(error: str, expected: str) -> None:
    stderr = f"SyntaxError: {error}\n    at JSON.parse (<anonymous>)\n    at f (/b/bot.js:3:14)"
    assert f"bot.js, line 3: {expected}" in advise(exited(stderr), PYTHON)


@pytest.mark.parametrize("stderr", ["", "Segmentation fault"])
def test_a_crash_is_named_and_explained(stderr: str) -> None:
    fault = PlayerFault(Termination.EXITED, "The player was ended by SIGSEGV before `quit` …")
    said = advise(Offence(fault, stderr=stderr), CPP)
    assert "crashed with SIGSEGV (bad memory access, or a recursion that is too deep)" in said
    assert "`arena match BOT monkey`" in said
    assert "faulthandler.enable()" in advise(Offence(fault, stderr=stderr), PYTHON)


@pytest.mark.parametrize("termination", [word for word in Termination if word.is_forfeit])
@pytest.mark.parametrize("language", [PYTHON, CPP])
def test_every_fault_has_advice(termination: Termination, language: Phrases) -> None:
    for heard in (None, Heard(2, b'{"type":"move","ply":1,"move":"z9"}')):
        offence = Offence(PlayerFault(termination, "A sentence."), heard=heard)
        assert advise(offence, language).endswith((".", ")", "}", "\n", language.flush))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"thinking", "Print debug text to stderr"),
        (b'[1] "x"', "Print debug text to stderr"),
        (b"['d3', 'c4']", "Print debug text to stderr"),
        (b'[{"type":"move",}]', "one JSON object in a line"),
        (b"{'type': 'move'}", "double quotes"),
        (b"{", "in one line"),
        (b'\xef\xbb\xbf{"type":"ready"}', "Write UTF-8"),
        ('{"type":"ready"}'.encode("utf-16-le"), "Write UTF-8"),
        (b'your move? {"type":"ready"}', "no prompt (Python: input() without a text)"),
        (b'{"info": {"score": NaN}}', "finite numbers"),
        (b'{"info": {"score": -Infinity}}', "finite numbers"),
        (b'{"type":"ready"}{"type":"move"}', "two of them share this line"),
        (b'{"type":"move",}', "one JSON object in a line"),
    ],
)
def test_what_is_behind_a_line_that_is_no_json(text: bytes, expected: str) -> None:
    fault = PlayerFault(Termination.BAD_JSON, "This line is not JSON.")
    assert expected in advise(Offence(fault, heard=Heard(1, text)), PYTHON)


@pytest.mark.parametrize("word", [b"ok", b"OK"])
def test_a_word_as_the_answer_to_start_is_no_debug_text(word: bytes) -> None:
    fault = PlayerFault(Termination.BAD_JSON, "This line is not JSON.")
    offence = Offence(fault, StartRequest(line=b"", startup_ms=1000), Heard(1, word))
    assert "Answer `start` with a line of JSON, not with a word" in advise(offence, PYTHON)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"4", "Print debug text to stderr"),
        (b"[1, 2]", "Print debug text to stderr"),
        (b'[{"type":"ready"}]', "one JSON object in a line"),
        (rb'"{\"type\":\"ready\"}"', "one JSON object in a line"),
        (b'{"type":"reddy"}', "Answer `start` with {"),
    ],
)
def test_what_is_behind_json_that_is_no_reply(text: bytes, expected: str) -> None:
    fault = PlayerFault(Termination.BAD_SCHEMA, "A sentence.")
    offence = Offence(fault, StartRequest(line=b"", startup_ms=1000), Heard(1, text))
    assert expected in advise(offence, PYTHON)


@pytest.mark.parametrize(
    ("line", "termination"),
    [
        (b"d3", Termination.BAD_JSON),
        (b"D3", Termination.BAD_JSON),
        (b"3d", Termination.BAD_JSON),
        (b"'d3'", Termination.BAD_JSON),
        (b'"d3"', Termination.BAD_SCHEMA),
    ],
)
def test_a_move_alone_is_shown_its_answer(line: bytes, termination: Termination) -> None:
    position = rules.load("othello").start()
    fault = PlayerFault(termination, "A sentence.")
    asked = TurnRequest(line=b"", ply=8, time_ms=1000, legal=position.legal_moves())
    offence = Offence(fault, asked, Heard(1, line))
    assert advise(offence, PYTHON).endswith(': {"type":"move","ply":8,"move":"d3"}')
    log = Offence(fault, asked, Heard(1, b"thinking"))
    assert "Print debug text to stderr" in advise(log, PYTHON)


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ('"info":"corner"', "Send `info` as an object such as"),
        ('"info":{"score":"good"}', "`score` is a number"),
        ('"info":"corner","move":3', "`move` one of the strings in `legal`"),
    ],
)
def test_a_wrong_info_is_distinguished_from_a_wrong_move(rest: str, expected: str) -> None:
    fault = PlayerFault(Termination.BAD_SCHEMA, "A sentence.")
    line = f'{{"type":"move","ply":1,"move":"d3",{rest}}}'.encode()
    assert expected in advise(Offence(fault, heard=Heard(1, line)), PYTHON)


@pytest.mark.parametrize(
    ("command", "files", "language"),
    [
        (("python3", "bot.py"), {}, PYTHON),
        (("python3.12", "-m", "bot"), {}, PYTHON),
        (("/usr/bin/node", "main.mjs"), {}, JAVASCRIPT),
        (("./nodesearch",), {"main.cpp": ""}, CPP),
        (("java", "-jar", "bot.jar"), {}, JAVA),
        (("./bot",), {"bot": "#!/usr/bin/env -S python3 -u\n"}, PYTHON),
        (("./bot",), {"src/main.rs": "", "Cargo.toml": ""}, RUST),
        (("./bot",), {"bot.cpp": ""}, CPP),
        (("./bot",), {"bot": "\x7fELF"}, ANY),
        (("./bot",), {"bot": "\x7fELF", "bot.c": "", "tools.py": ""}, ANY),
        (("awk", "-f", "bot.awk"), {"bot.awk": "", "tools.py": ""}, ANY),
        (("awk", "-f", "bot.awk"), {"bot.awk": "", "tools.rs": ""}, ANY),
        (("env", "node", "main"), {}, JAVASCRIPT),
        (("sh", "run"), {"run": "", "brain.py": ""}, PYTHON),
    ],
)
def test_the_language_of_a_program(
    command: tuple[str, ...], files: dict[str, str], language: Phrases, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert language_of(command, tmp_path) is language


@pytest.mark.parametrize(
    ("waited_ms", "expected"),
    [
        (None, "no reply came within 600 ms, and it was not waited for longer"),
        (5000, "no reply came within 5000 ms after the deadline"),
    ],
)
def test_a_late_program_is_reported_with_how_long_was_waited(
    waited_ms: int | None, expected: str
) -> None:
    fault = PlayerFault(Termination.TIMEOUT, "No complete reply by the deadline; …")
    offence = Offence(fault, waited_ms=waited_ms, limit="within 600 ms")
    assert expected in advise(offence, PYTHON)


def timed_out(stderr: str, **more: Any) -> Offence:
    asked = TurnRequest(line=b"", ply=8, time_ms=1000, legal=("d3",))
    return Offence(PlayerFault(Termination.TIMEOUT, "No reply."), asked, stderr=stderr, **more)


TRACEBACK = "Traceback …:\n  File \"/b/bot.py\", line 9, in best\nNameError: name 'evaluat'\n"


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        ("bot.sh: line 2: jqq: command not found\n", "Include jqq with the program"),
        ("bot.sh: 2: jqq: not found\n", "Include jqq with the program"),
        (TRACEBACK, "Fix the error in bot.py, line 9; no answer came after it."),
        ("bot.cpp:40 depth 3\n", "no reply came at ply 8 within 800 ms after the deadline"),
        ("", "no reply came at ply 8 within 800 ms after the deadline"),
    ],
)
def test_what_a_program_wrote_that_did_not_answer(stderr: str, expected: str) -> None:
    offence = timed_out(stderr, waited_ms=800)
    assert expected in advise(offence, PYTHON)
    assert offence.message.startswith("No reply. The end of stderr: " if stderr else "No reply.")
    assert offence.message.endswith("".join(stderr.splitlines()[-1:]))


def test_an_error_before_an_answer_that_came_late_is_not_its_cause() -> None:
    offence = timed_out(TRACEBACK, belated=Belated(b"{}", 70, closed=False))
    assert "the answer at ply 8 came 70 ms late" in advise(offence, PYTHON)


def ended(code: int) -> PlayerFault:
    end: Any = SimpleNamespace(si_code=os.CLD_EXITED, si_status=code)
    return sentences.exited(end, "")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (sentences.did_not_read(), "Read every line the referee sends"),
        (sentences.late(bytearray(b'{"type"')), "End each answer with a newline"),
        (sentences.late(bytearray()), "Stop the search when"),
        (ended(0), "Stay in the loop that reads requests"),
        (ended(1), "Find where the program ends"),
    ],
)
def test_a_sentence_of_the_referee_gives_advice(fault: PlayerFault, expected: str) -> None:
    assert advise(Offence(fault), PYTHON).startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [(b'{"type":"ready"}', "Answer each `start` and `turn` once"), (b"hi", "Print debug text")],
)
def test_a_reply_that_was_not_asked_for_is_no_debug_text(text: bytes, expected: str) -> None:
    fault = PlayerFault(Termination.UNSOLICITED, "A sentence.")
    assert advise(Offence(fault, heard=Heard(1, text)), PYTHON).startswith(expected)


def test_an_answer_that_came_once_stdin_was_closed_was_not_flushed() -> None:
    offence = timed_out("", belated=Belated(b"{}", 70, closed=True))
    assert "Flush each answer, and do not wait for the end of stdin" in advise(offence, PYTHON)


@pytest.mark.parametrize(
    ("belated", "expected"),
    [
        (None, "Answer `start` with {"),
        (Belated(b"{}", 70, closed=False), "Answer `start` within startup_ms: it came 70 ms late"),
    ],
)
def test_a_late_ready_is_distinguished_from_none(belated: Belated | None, expected: str) -> None:
    fault = PlayerFault(Termination.TIMEOUT, "No reply.")
    asked = StartRequest(line=b"", startup_ms=1000)
    assert advise(Offence(fault, asked, belated=belated), PYTHON).startswith(expected)


def test_stderr_says_nothing_of_an_illegal_move() -> None:
    fault = PlayerFault(Termination.ILLEGAL_MOVE, "`a1` is not legal.")
    assert Offence(fault, stderr="best: d3").message == "`a1` is not legal."
