"""The error and its place, in what the runtimes of languages write when a program fails."""

import pytest

from arena.referee.failures import failure_in, place_in
from arena.referee.head_tail import HeadTail

PYTHON = """\
Traceback (most recent call last):
  File "/srv/bot.py", line 30, in <module>
    main()
  File "/srv/bot.py", line 14, in choose
    raise ValueError(text)
"""
GROUP = """\
  + Exception Group Traceback (most recent call last):
  |   File "/srv/bot.py", line 4, in <module>
  |     turns()
  | ExceptionGroup: turns (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/bot.py", line 9, in turn
    |     raise KeyError(1)
    | KeyError: 1
    +------------------------------------
"""
LIBRARY = """\
Traceback (most recent call last):
  File "/srv/bot.py", line 14, in choose
    return pick(moves)
           ^^^^^^^^^^^
  File "/usr/lib/python3/dist-packages/numpy/core.py", line 90, in pick
    raise ValueError("odd")
ValueError: odd
"""
WORKER = '''\
concurrent.futures.process._RemoteTraceback:
"""
Traceback (most recent call last):
  File "/usr/lib/python3.11/concurrent/futures/process.py", line 261, in _process_worker
    r = call_item.fn(*call_item.args, **call_item.kwargs)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/srv/bot.py", line 5, in search
    return depths[x]
           ~~~~~~^^^
IndexError: list index out of range
"""

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/bot.py", line 9, in choose
    return max(pool.map(search, turn.legal))
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/usr/lib/python3.11/concurrent/futures/_base.py", line 401, in __get_result
    raise self._exception
IndexError: list index out of range
'''
NODE = """\
Error: only in the log
ready
/srv/bot.js:8
  throw new Error("impossible board:");
  ^

Error: impossible board:
. . .
. . .
. . .
    at choose (/srv/bot.js:8:22)
    at Object.<anonymous> (/srv/bot.js:2:1)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)

Node.js v20.20.2
"""
JAVA = """\
Exception in thread "main" java.lang.ExceptionInInitializerError
\tat Main.main(Main.java:8)
Caused by: java.lang.IndexOutOfBoundsException: Index 3
\tat java.base/java.util.Objects.checkIndex(Objects.java:385)
\tat Tables.<clinit>(Tables.java:4)
\t... 1 more
"""
JAVAC = """\
Main.java:8: error: incompatible types: String cannot be converted to int
        int x = "a";
                ^
1 error
error: compilation failed
"""
GO = """\
ready
panic: runtime error: index out of range [1] with length 0

goroutine 1 [running]:
main.choose(...)
\t/srv/bot.go:7
main.main()
\t/srv/bot.go:20 +0xfa
exit status 2
"""
RUST = """\
ready

thread 'main' (306) panicked at src/bot.rs:1:85:
index out of bounds: the len is 0 but the index is 0
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
CPP = """\
ready
terminate called after throwing an instance of 'std::out_of_range'
  what():  vector::_M_range_check: __n (which is 3) >= this->size() (which is 0)
"""
LIBSTDCXX = """\
/usr/include/c++/12/bits/stl_vector.h:1123: reference std::vector::operator[](size_type): \
Assertion '__n < this->size()' failed.
"""
SANITIZER = """\
ready
=================================================================
==2==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000015
WRITE of size 1 at 0x602000000015 thread T0
    #0 0x5632b5ab01ca in choose /srv/bot.c:13
    #1 0x7f21ecc45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

allocated by thread T0 here:
    #0 0x7f21eceb89cf in __interceptor_malloc ../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
Shadow byte legend (one shadow byte represents 8 application bytes):
  Left alloca redzone:     ca
  Right alloca redzone:    cb
==2==ABORTING
"""
RUBY = """\
ready
bot.rb:2:in `f': undefined method `foo' for nil:NilClass (NoMethodError)

def f(x) x.foo end
          ^^^^
\tfrom bot.rb:3:in `g'
\tfrom bot.rb:4:in `h'
\tfrom bot.rb:5:in `<main>'
"""
LUA = """\
/usr/bin/lua5.4: bot.lua:6: attempt to index a nil value (local 'x')
stack traceback:
\tbot.lua:6: in local 'f'
\tbot.lua:9: in main chunk
\t[C]: in ?
"""


@pytest.mark.parametrize(
    ("stderr", "expected", "place"),
    [
        (
            f"ready\n{PYTHON}ValueError: odd board:\n. . .\n. . .\n. . .\n",
            'File "bot.py", line 14, in choose / raise ValueError(text) / '
            "ValueError: odd board: / . . .",
            ("bot.py", 14),
        ),
        (
            GROUP,
            'File "bot.py", line 9, in turn / raise KeyError(1) / KeyError: 1',
            ("bot.py", 9),
        ),
        (
            LIBRARY,
            'File "bot.py", line 14, in choose / return pick(moves) / ValueError: odd',
            ("bot.py", 14),
        ),
        (
            f"{PYTHON}KeyError: 1\n\nDuring handling of …:\n\n{PYTHON}ValueError: odd\n",
            'File "bot.py", line 14, in choose / raise ValueError(text) / ValueError: odd',
            ("bot.py", 14),
        ),
        (
            '  File "/srv/bot.py", line 3\n    x = =\n        ^\nSyntaxError: invalid syntax\n',
            'File "bot.py", line 3 / x = = / SyntaxError: invalid syntax',
            ("bot.py", 3),
        ),
        (
            WORKER,
            'File "bot.py", line 5, in search / return depths[x] / '
            "IndexError: list index out of range",
            ("bot.py", 5),
        ),
        (
            f"{WORKER}\nDuring handling of …:\n\n{PYTHON}ValueError: odd\n",
            'File "bot.py", line 14, in choose / raise ValueError(text) / ValueError: odd',
            ("bot.py", 14),
        ),
        (NODE, "Error: impossible board: / at choose (bot.js:8:22) / . . .", ("bot.js", 8)),
        (
            JAVA,
            "Caused by: java.lang.IndexOutOfBoundsException: Index 3 / "
            "at Tables.<clinit>(Tables.java:4)",
            ("Tables.java", 4),
        ),
        (
            JAVAC,
            "Main.java:8: error: incompatible types: String cannot be converted to int / "
            "error: compilation failed",
            ("Main.java", 8),
        ),
        (
            GO,
            "panic: runtime error: index out of range [1] with length 0 / bot.go:7",
            ("bot.go", 7),
        ),
        (
            RUST,
            "thread 'main' (306) panicked at src/bot.rs:1:85: "
            "index out of bounds: the len is 0 but the index is 0",
            ("bot.rs", 1),
        ),
        (
            CPP,
            "terminate called after throwing an instance of 'std::out_of_range' "
            "what():  vector::_M_range_check: __n (which is 3) >= this->size() (which is 0)",
            None,
        ),
        (LIBSTDCXX, LIBSTDCXX.strip(), None),
        (
            SANITIZER,
            "==2==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000015 / "
            "#0 0x5632b5ab01ca in choose bot.c:13",
            ("bot.c", 13),
        ),
        (
            "ready\nbot: bot.c:13: main: Assertion `x' failed.\n",
            "bot: bot.c:13: main: Assertion `x' failed.",
            ("bot.c", 13),
        ),
        (
            "a\nb\nbot.c:13:14: runtime error: signed integer overflow\nc\nd\nends\n",
            "bot.c:13:14: runtime error: signed integer overflow / ends",
            ("bot.c", 13),
        ),
        (
            "ready\nno move at bot.pl line 9, <STDIN> line 9.\n",
            "no move at bot.pl line 9, <STDIN> line 9.",
            ("bot.pl", 9),
        ),
        (
            RUBY,
            "bot.rb:2:in `f': undefined method `foo' for nil:NilClass (NoMethodError) / "
            "def f(x) x.foo end",
            ("bot.rb", 2),
        ),
        (
            LUA,
            "/usr/bin/lua5.4: bot.lua:6: attempt to index a nil value (local 'x')",
            ("bot.lua", 6),
        ),
        (
            "lua5.4: ...9f195b/bot:6: attempt to index a nil value\nstack traceback:\n"
            "\t...9f195b/bot:6: in main chunk\n\t[C]: in ?\n",
            "lua5.4: bot:6: attempt to index a nil value",
            ("bot", 6),
        ),
        (
            "PHP Fatal error:  Uncaught Error: no best() in /srv/bot:6\nStack trace:\n#0 {main}\n"
            "  thrown in /srv/bot on line 6\n",
            "PHP Fatal error:  Uncaught Error: no best() in bot:6",
            ("bot", 6),
        ),
        (
            "** (MatchError) no match of value: nil\n    (elixir 1.14.0) lib/enum.ex:7: map/2\n"
            "    bot.exs:2: main/2\n",
            "** (MatchError) no match of value: nil / bot.exs:2: main/2",
            ("bot.exs", 2),
        ),
        (
            'depth 3\ncan\'t read "n": no such variable\n    while executing\n"lindex $l $n"\n'
            '    (procedure "choose" line 2)\n    invoked from within\n"while 1 {'
            '\n  puts [choose $l]\n}"\n    (file "/srv/bot.tcl" line 6)\n',
            'can\'t read "n": no such variable / (file "bot.tcl" line 6)',
            ("bot.tcl", 6),
        ),
        (
            "ERROR: /srv/bot:3: main: key `legl' does not exist\n",
            "ERROR: bot:3: main: key `legl' does not exist",
            ("bot", 3),
        ),
        (
            "/srv/bot.sh: line 3: foo: unbound variable\n",
            "bot.sh: line 3: foo: unbound variable",
            ("bot.sh", 3),
        ),
        (
            f"{PYTHON}KeyError: 1\nplays on\nweights.bin is from another version; train again\n",
            'File "bot.py", line 14, in choose / raise ValueError(text) / KeyError: 1 / '
            "weights.bin is from another version; train again",
            ("bot.py", 14),
        ),
        (
            "Fatal Python error: Segmentation fault\n\nCurrent thread 0x7f (most recent call):\n"
            '  File "/srv/bot.py", line 4 in deep\n  File "/srv/bot.py", line 7 in <module>\n',
            "Fatal Python error: Segmentation fault / "
            'File "bot.py", line 4 in deep / Current thread 0x7f (most recent call):',
            ("bot.py", 4),
        ),
        (
            'Exception in thread "search" java.lang.StackOverflowError\n'
            + "\tat Bot.best(Bot.java:9)\n" * 1024,
            'Exception in thread "search" java.lang.StackOverflowError / at Bot.best(Bot.java:9)',
            ("Bot.java", 9),
        ),
        (
            "Unhandled exception. System.IndexOutOfRangeException: Index was outside\n"
            "   at Bot.Choose() in /srv/Bot.cs:line 12\n   at Bot.Main() in /srv/Bot.cs:line 3\n",
            "Unhandled exception. System.IndexOutOfRangeException: Index was outside / "
            "at Bot.Choose() in Bot.cs:line 12",
            ("Bot.cs", 12),
        ),
        (
            "/srv/bot.mjs:3\n  throw new NoMove()\n\nNoMove [Error]: none for c4\n"
            "    at choose (file:///srv/bot.mjs:8:22)\n\nNode.js v20.20.2\n",
            "NoMove [Error]: none for c4 / at choose (bot.mjs:8:22)",
            ("bot.mjs", 8),
        ),
        (
            "ready\n[AggregateError: none was kept] {\n  [errors]: [\n    Error: b\n"
            "        at choose (/srv/bot.js:8:83)\n  ]\n}\n\nNode.js v20.20.2\n",
            "[AggregateError: none was kept] { / at choose (bot.js:8:83)",
            ("bot.js", 8),
        ),
        ("searched to depth at c4 line 3.\n", "searched to depth at c4 line 3.", None),
        ("loading book: line 12: ok\n", "loading book: line 12: ok", None),
        ("move 1\nmove 2\nmove 3\nmove 4\n", "move 2 / move 3 / move 4", None),
    ],
)
def test_the_error_and_its_place_are_reported(
    stderr: str, expected: str, place: tuple[str, int] | None
) -> None:
    log = HeadTail()
    log.feed(stderr.encode())
    assert log.last_lines() == expected
    found = place_in(stderr)
    assert (found and (found.file, found.line)) == place


@pytest.mark.parametrize(
    ("stderr", "error"),
    [
        (PYTHON + "ValueError: odd\n", "ValueError: odd"),
        (NODE, "Error: impossible board:"),
        (GO, "panic: runtime error: index out of range [1] with length 0"),
        (
            RUST,
            "thread 'main' (306) panicked at src/bot.rs:1:85: "
            "index out of bounds: the len is 0 but the index is 0",
        ),
    ],
)
def test_an_error_is_one_line(stderr: str, error: str) -> None:
    failure = failure_in(stderr)
    assert failure is not None and failure.error == error


def test_of_a_long_line_both_ends_are_reported() -> None:
    log = HeadTail()
    log.feed(f"[UnhandledPromiseRejection: {'odd ' * 60}the reason]".encode())
    said = log.last_lines()
    assert said.startswith("[UnhandledPromiseRejection") and said.endswith("the reason]")
    assert " … " in said and len(said) == 203


@pytest.mark.parametrize("text", ["", "\n", "ready\nplays c4\n", 'File "a.py", line 3\nthinks\n'])
def test_what_a_bot_logs_is_no_error(text: str) -> None:
    assert failure_in(text) is None


@pytest.mark.parametrize(
    ("stderr", "line"),
    [
        ("/srv/bot:8:in `<main>': no legl (NoMethodError)", 8),
        ('no legl\n    invoked from within\n"x"\n    (file "/srv/bot" line 3)', 3),
        ("gawk: /srv/bot:5: error: division by zero attempted", 5),
        ("Error: unhandled\n/srv/bot(4) bot\n/usr/lib/nim/system.nim(9) x", 4),
    ],
)
def test_a_file_without_a_suffix_is_named_by_its_absolute_path(stderr: str, line: int) -> None:
    place = place_in(stderr)
    assert place and (place.file, place.line) == ("bot", line)


def test_a_place_in_the_last_line_is_shown_once_without_its_folder() -> None:
    failure = failure_in("Error: no legl\n/srv/bot(4) bot\n")
    assert failure and failure.lines == ("Error: no legl", "bot(4) bot")


def test_an_address_is_no_place() -> None:
    assert place_in("refused by http://127.0.0.1:8080/x") is None
    assert place_in("loaded /srv/0a1b/net:12 layers") is None


@pytest.mark.parametrize(
    "warning",
    [
        "/usr/local/python/resource_tracker.py:254: UserWarning: There appear to be 2 leaked",
        "/v/sklearn/base.py:376: InconsistentVersionWarning: Trying to unpickle",
        "2026-11-30 07:00:00.1: W tensorflow/core/util/port.cc:113] oneDNN is on",
        "[W NNPACK.cpp:64] Could not initialize NNPACK!",
        "[W1130 07:00:00.123 NNPACK.cpp:64] Could not initialize NNPACK!",
        "I0000 00:00:17.9 1 /v/cuda_executor.cc:1015] no device",
    ],
)
def test_a_warning_is_no_place_of_an_error(warning: str) -> None:
    assert place_in(warning) is None
    place = place_in(f"{warning}\n/b/brain.rb:3:in 'go': no net (RuntimeError)")
    assert place and place.file == "brain.rb"
