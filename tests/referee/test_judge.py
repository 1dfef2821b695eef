"""Lines of a player, judged without a process: strict JSON, schema, ply, legality."""

import json
from random import Random

import pytest

from arena.model.protocol import Termination, excerpt
from arena.model.record import PlayerFault
from arena.referee import judge

T = Termination
LEGAL = ("c2", "d2")


def verdict(line: bytes) -> Termination | str:
    """The fault in an answer to ply 8, or the move."""
    try:
        return judge.move(line, ply=8, legal=LEGAL).move
    except PlayerFault as fault:
        assert fault.detail.isprintable()
        assert len(fault.detail) < 1500
        return fault.termination


def reply(extra: str = "", **fields: object) -> bytes:
    """A right answer, with fields changed and text put in before its last brace."""
    data = {"type": "move", "ply": 8, "move": "d2", **fields}
    return (json.dumps(data)[:-1] + extra + "}").encode()


RIGHT = {
    "plain": reply(),
    "crlf": reply() + b"\r",
    "spaces": b" \t" + reply() + b" ",
    "escapes": b'{"type":"\\u006dove","ply":8,"move":"d\\u0032"}',
    "unknown field": reply(x={"deep": [[[[]]]]}),
    "64 deep": reply(x=json.loads("[" * 63 + "]" * 63)),
    "brackets in a string": reply(x="[" * 5000 + '\\"' + "{" * 5000),
    "long unknown string": reply(x="é" * 20_000),
    "300 digits": reply(f',"x":{"9" * 300}'),
    "many digits after the point": reply(f',"x":0.{"3" * 5000}'),
    "a surrogate pair": reply(info={"text": "🐕"}),
    "null info": reply(info=None),
    "null in info": reply(info={"score": None, "pv": None}),
    "whole score": reply(info={"score": 3}),
    "a colon in a text": reply(info={"text": "mate: 3"}),
    "same key in two objects": reply(x={"ply": 1}),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str) -> None:
    assert verdict(RIGHT[name]) == "d2"


WRONG = {
    T.BAD_UTF8: [b"\xff", reply()[:-1] + b',"x":"\xc3"}', b"\xed\xa0\x80", b"\xc0\xaf"],
    T.BAD_JSON: [
        b"d2",
        b"{",
        b"{}}",
        b"{'type':'move'}",
        b'{"type":"move",}',
        b"\xef\xbb\xbf" + reply(),
        reply() + b"\0",
        reply() + reply(),
        reply().replace(b"d2", b"d\t2"),
        reply(',"x":NaN'),
        reply(',"x":[Infinity]'),
        reply(',"x":{"y":-Infinity}'),
        reply(',"x":1e999'),
        reply(',"x":-1e999'),
        reply(f',"x":{"9" * 301}'),
        reply(f',"x":-{"9" * 60_000}'),
        reply(f',"x":{"9" * 60_000}.5'),
        reply(',"x":01'),
        reply(',"x":.5'),
        reply(',"x":+1'),
        reply(',"ply":8'),
        reply(',"info":null,"info":{}'),
        reply(',"info":{"depth":1,"depth":1}'),
        reply(',"info":{"score":1e999}'),
        reply(',"info":{"score":NaN}'),
        reply(',"x":{"a":1,"a":1}'),
        reply(',"x":' + "[" * 64 + "]" * 64),
        b"[" * 30_000,
        b'{"a":' * 10_000,
        b'"' + b'\\"' * 30_000,
    ],
    T.BAD_SCHEMA: [
        b"[]",
        b"null",
        b"true",
        b'"d2"',
        b"8",
        b"{}",
        reply(type="Move"),
        reply(type=None),
        reply(ply="8"),
        reply(ply=8.0),
        reply(ply=None),
        reply(move=None),
        reply(move=["d2"]),
        reply(move="d2\n"),
        reply(move="\ud800"),
        reply(info=[]),
        reply(info="good"),
        reply(info={"score": "1"}),
        reply(info={"score": True}),
        reply(info={"depth": 1.5}),
        reply(info={"nodes": True}),
        reply(info={"pv": "d2"}),
        reply(info={"pv": ["d2", 3]}),
        reply(info={"text": "\u202e"}),
        reply(info={"pv": ["\u202e"]}),
        reply(ply=True, move=7),
        reply(ply=7, info="good"),
    ],
    T.WRONG_PLY: [reply(ply=7), reply(ply=-1), reply(ply=True), reply(ply=False, move="z9")],
    T.ILLEGAL_MOVE: [reply(move=move) for move in ("", "D2", " d2", "pass", "z" * 60_000, "«é»")],
}


@pytest.mark.parametrize(
    ("word", "line"),
    [(word, line) for word, lines in WRONG.items() for line in lines],
    ids=lambda value: str(value) if isinstance(value, Termination) else excerpt(value, 30),
)
def test_wrong(word: Termination, line: bytes) -> None:
    assert verdict(line) is word


def judged(line: bytes) -> judge.JudgedMove | str:
    """The answer, or all that is said of a fault."""
    try:
        return judge.move(line, ply=8, legal=LEGAL)
    except PlayerFault as fault:
        return str(fault)


def test_an_info_that_is_no_object_is_reported() -> None:
    assert '`info` should be an object, got `"good"`' in str(judged(reply(info="good")))


def mutated(line: bytes, rng: Random) -> bytes:
    """The line with up to three pieces put in, changed, left out or doubled."""
    pieces = [
        b'"', b":", b",", b"{}", b"[", b"]", b"null", b"true", b"NaN", b"-", b"1e999", b"8.0",
        b"\\ud800", b"\xff", b"\xc3\xa9", b"\xe2\x80\xae", b"\t", b"\x7f", b"9" * 30,
        b',"ply":8', b'"text"', b'"x":1', b'"a:b"',
    ]  # fmt: skip
    changed = bytearray(line)
    for _ in range(rng.randint(1, 3)):
        low, high = sorted(rng.choices(range(len(changed) + 1), k=2))
        end = rng.choice((low, low + 1, low + 4))
        changed[low:end] = rng.choice((rng.choice(pieces), b"", changed[low:high]))
    return bytes(changed)


def test_a_line_that_is_read_in_one_go_is_judged_as_any_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    info = {"score": -0.5, "depth": 3, "nodes": 10**18, "pv": ["d2", "c2"], "text": "né"}
    rng, plain = Random(5), [reply(), reply(info=info), reply(info={}), RIGHT["escapes"]]
    plain.append(reply(info=info | {"text": "no"}))
    lines = [*plain, *(mutated(rng.choice(plain), rng) for _ in range(5000))]
    at_once = [judged(line) for line in lines]
    assert sum(judge._plain(line) is not None for line in lines) > 100
    monkeypatch.setattr(judge, "_plain", lambda line: None)
    assert at_once == [judged(line) for line in lines]


def test_the_sentence_names_every_field_that_is_wrong() -> None:
    with pytest.raises(
        PlayerFault, match=r"`ply` is missing; `move` should be a valid string"
    ) as e:
        judge.move(b'{"type":"move","move":1}', ply=0, legal=LEGAL)
    assert "Its fields: type, ply, move, info (optional)." in e.value.detail


def test_the_sentence_of_an_illegal_move_lists_a_dozen_legal_ones() -> None:
    legal = [f"a{n}" for n in range(1, 20)]
    with pytest.raises(PlayerFault, match=r"Legal: a1, .*, a12, …\.$"):
        judge.move(reply(), ply=8, legal=legal)


def test_an_introduction_may_be_empty() -> None:
    assert judge.ready(b'{"type":"ready"}').name is None
    with pytest.raises(PlayerFault, match="not a `ready` message"):
        judge.ready(reply())
