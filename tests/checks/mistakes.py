"""What students do wrong: changes of a program that does it right, each a line or a few."""

from typing import NamedTuple

_START = '    if request["type"] == "start":\n'
_TURN = '    elif request["type"] == "turn":\n'
_CHOICE = '        move = request["legal"][0]\n'
_QUIT = '    elif request["type"] == "quit":\n'


class Mistake(NamedTuple):
    """Pieces of the program, and what stands there instead."""

    changes: tuple[tuple[str, str], ...]
    last: int = 14
    """The last item that is worth the time."""
    quick: bool = False
    """Whether it is tried with the quick tests, the others with the slow ones."""

    def made_in(self, text: str) -> str:
        """The program with this mistake."""
        for piece, instead in self.changes:
            assert piece in text, f"nothing to change: {piece}"
            text = text.replace(piece, instead)
        return text


def mistake(*changes: tuple[str, str], last: int = 14, quick: bool = False) -> Mistake:
    return Mistake(changes, last, quick)


MISTAKES = {
    # 3 start time
    "missing module": mistake(("import json\n", "import json\nimport brain\n")),
    "slow start": mistake(
        ("import json\n", "import json\nimport time\n"),
        (_START, _START + "        time.sleep(1.8)\n"),
    ),
    "no flush": mistake((", flush=True", ""), quick=True),
    "reads to the end": mistake(("sys.stdin:", "sys.stdin.read().splitlines():")),
    # 4 clean stdout
    "banner": mistake(("for line", 'print("SuperBot 3000")\nfor line'), quick=True),
    "debug print": mistake(
        (_CHOICE, _CHOICE + '        print("thinking about", move)\n'), quick=True
    ),
    "repr": mistake(("json.dumps(reply)", "reply")),
    "indented": mistake(("json.dumps(reply)", "json.dumps(reply, indent=1)")),
    "no object": mistake(("json.dumps(reply)", "json.dumps(move)")),
    "good game": mistake(
        (_QUIT, '    elif request["type"] == "end":\n        print("gg", flush=True)\n' + _QUIT)
    ),
    "answers twice": mistake(
        ("(json.dumps(reply), flush", "(json.dumps(reply), json.dumps(reply), sep='\\n', flush")
    ),
    # 5 ply echo
    "counts plies": mistake(
        ('request["ply"]', "ply"),
        (_START, _START + "        ply = 0\n"),
        (_TURN, _TURN + "        ply += 2\n"),
    ),
    # 6 legal moves
    "upper case": mistake(("[0]\n", "[0].upper()\n"), last=6),
    "passes": mistake(
        (_CHOICE, _CHOICE + '        if len(request["legal"]) == 1:\n            move = "pass"\n'),
        last=6,
    ),
    "dies with one move left": mistake(('["legal"][0]', '["legal"][1]'), last=6),
    "one board only": mistake(
        (
            _CHOICE,
            _CHOICE + '        if request["state"]["rows"] != 5:\n            move = "e5e6"\n',
        ),
        last=6,
    ),
    "always the first seat": mistake(
        (_START, _START + '        mine = request["seat"] == 0\n'),
        (_CHOICE, _CHOICE + '        if not mine:\n            move = "a9a9"\n'),
        last=6,
    ),
    "no answer": mistake((_TURN, _TURN + "        continue\n")),
    # 7 near the clock
    "ignores time_ms": mistake(
        ("import json\n", "import json\nimport time\n"),
        (_CHOICE, _CHOICE + '        time.sleep(0.6 if request["time_ms"] > 200 else 0)\n'),
        last=8,
        quick=True,
    ),
    "loads at the first turn": mistake(
        ("import json\n", "import json\nimport time\n"),
        ("for line", "loaded = False\nfor line"),
        (_CHOICE, "        if not loaded:\n            time.sleep(0.6)\n" + _CHOICE),
        (_CHOICE, "        loaded = True\n" + _CHOICE),
        last=8,
    ),
    # 8 a second game
    "leaves after a game": mistake(
        (_QUIT, _QUIT.replace('== "quit"', 'in ("end", "quit")')), last=8
    ),
    "keeps the last game": mistake(
        ("for line", "board = None\nfor line"),
        (
            _CHOICE,
            '        board = board or (request["state"]["rows"], request["legal"])\n' + _CHOICE,
        ),
        (_CHOICE, _CHOICE + '        if board[0] != request["state"]["rows"]:\n'),
        ("        reply", "            move = board[1][-1]\n        reply"),
        last=8,
    ),
    "counts over games": mistake(
        ("for line", "turns = 0\nfor line"),
        (_CHOICE, "        turns += 1\n        request['legal'][turns > 60 and 10**6]\n" + _CHOICE),
    ),
    "fails at its third move": mistake(
        ("for line", "turns = 0\nfor line"),
        (_CHOICE, "        turns += 1\n        request['legal'][turns > 2 and 10**6]\n" + _CHOICE),
    ),
    "prints at its eighth move": mistake(
        ("for line", "turns = 0\nfor line"),
        (_CHOICE, "        turns += 1\n        turns == 8 and print('eighth')\n" + _CHOICE),
    ),
    "takes memory at once": mistake(("for line", "held = bytearray(10**9)\nfor line")),
    # 9 memory
    "keeps everything": mistake(
        ("for line", "kept = []\nfor line"),
        (_CHOICE, _CHOICE + '        kept.append("x" * 4_000_000)\n'),
        last=9,
    ),
    # 10 no network
    "opens a socket": mistake(
        ("for line", "import socket\nradio = socket.socket()\nfor line"), last=10
    ),
    # 11 no stray processes
    "leaves a process": mistake(
        ("for line", 'import subprocess\nsubprocess.Popen(["sleep", "60"])\nfor line'), last=11
    ),
    # 12 exit on quit
    "ignores quit": mistake(("        break\n", "        pass\n")),
    "leaves a thread": mistake(
        ("import json\n", "import json\nimport threading\nimport time\n"),
        ("for line", "threading.Thread(target=time.sleep, args=(60,)).start()\nfor line"),
        last=12,
    ),
    "spins at the end": mistake(
        (
            "for line in sys.stdin:\n",
            "while True:\n    line = sys.stdin.readline() or '{\"type\":0}'\n",
        ),
        last=12,
    ),
    # 13 and 14 games
    "dies after so many moves": mistake(
        ("for line", "moves = 0\nfor line"),
        (_CHOICE, _CHOICE + "        moves += seat\n        assert moves < 8\n"),
        (_START, _START + '        moves, seat = 0, request["seat"]\n'),
    ),
}
