"""Phrases of advice for each language: how to log, to flush, to read a line."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.sandbox.spawn import interpreter


class Phrases(NamedTuple):
    """The phrases of a language, each a piece of code or an instruction."""

    log: str
    """Writes debug text to stderr."""
    flush: str
    """Writes an answer and flushes it."""
    read: str
    """Reads a line when it comes, not at the end of the stream."""
    encode: str
    """Makes JSON of a reply."""


PYTHON = Phrases(
    "print(…, file=sys.stderr)",
    "print(json.dumps(reply), flush=True)",
    "for line in sys.stdin:",
    "json.dumps(reply)",
)
JAVASCRIPT = Phrases(
    "console.error(…)",
    'process.stdout.write(JSON.stringify(reply) + "\\n")',
    'require("readline").createInterface({input: process.stdin}).on("line", …)',
    "JSON.stringify(reply)",
)
CPP = Phrases(
    "std::cerr << …",
    "std::cout << reply << std::endl",
    "while (std::getline(std::cin, line))",
    'R"({"type":"move","ply":8,"move":"d2"})"',
)
JAVA = Phrases(
    "System.err.println(…)",
    "System.out.println(reply); System.out.flush()",
    "while ((line = reader.readLine()) != null)",
    '"{\\"type\\":\\"move\\",\\"ply\\":8,\\"move\\":\\"d2\\"}"',
)
RUST = Phrases(
    "eprintln!(…)",
    'println!("{reply}"); std::io::stdout().flush()',
    "for line in std::io::stdin().lines()",
    "serde_json::to_string(&reply)",
)
ANY = Phrases(
    "stderr is free for it",
    "flush stdout after each reply",
    "read one line, answer it, read the next",
    '{"type":"move","ply":8,"move":"d2"}',
)

_PROGRAMS = {
    "python": PYTHON,
    "pypy": PYTHON,
    "node": JAVASCRIPT,
    "nodejs": JAVASCRIPT,
    "java": JAVA,
}
_COMPILED = (CPP, JAVA, RUST)
_SHELLS = ("sh", "bash", "dash", "zsh")
_SUFFIXES = {
    ".py": PYTHON, ".jar": JAVA, ".java": JAVA, ".rs": RUST, ".js": JAVASCRIPT,
    ".mjs": JAVASCRIPT, ".cpp": CPP, ".cc": CPP, ".cxx": CPP,
}  # fmt: skip


def language_of(command: Sequence[str], folder: Path | None) -> Phrases:
    """The language of a program: by its command, its #! line, or the sources next to it."""
    for word in command:
        if known := _SUFFIXES.get(Path(word).suffix) or _by_program(word):
            return known
    words = list(command[:1])
    with suppress(OSError):
        first_line = interpreter(str(Path(folder or ".", command[0])))
        words = [word for word in first_line if not word.startswith("-")] or words  # env python3
    if known := _by_program(words[-1]):
        return known
    starts_others = Path(words[-1]).name in _SHELLS
    is_compiled = "/" in command[0] and words == [command[0]]
    sources = sorted(folder.rglob("*")) if folder and (starts_others or is_compiled) else []
    found = (_SUFFIXES.get(source.suffix, ANY) for source in sources)
    fitting = (each for each in found if each in _COMPILED or (starts_others and each is not ANY))
    return next(fitting, ANY)


def _by_program(word: str) -> Phrases | None:
    return _PROGRAMS.get(Path(word).name.rstrip("0123456789."))  # python3.12
