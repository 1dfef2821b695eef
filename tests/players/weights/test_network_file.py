"""Network files: what was written comes back, what is damaged or foreign is refused in words."""

import hashlib
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard

from players.learning.tiles import shrink
from players.learning.tiles.trainer import play_greedily
from players.learning.training_file import METHOD
from players.weights.board_tuples import BoardCells
from players.weights.network_file import (
    default_network,
    load_network,
    mean_network,
    save_network,
)
from players.weights.network_header import Header, network_of, offsets_of

HEADER = Header(
    rules="2048",
    spawn="2/4",
    tuples=(("a1", "b1"), ("d4", "a1", "b3")),
    stages=(2048,),
    initial=7.5,
    about="made by a test",
    method={"target": "td0"},
    games=3,
    seed=4,
    scores={"mean": 1.5},
)
WEIGHTS = 2 * (16**2 + 16**3)


def written(path: Path, header: Header = HEADER) -> Path:
    weights = np.random.default_rng(1).normal(size=WEIGHTS).astype(np.float32)
    save_network(path, header, network_of(header, weights), {"more": np.arange(5, dtype=np.int64)})
    return path


def resealed(first: dict[str, object], payload: bytes) -> bytes:
    """A file of this header and payload with a right checksum, as a program might write it."""
    rest = json.dumps(first).encode() + b"\n" + payload
    return b"n-tuple network 1 sha256 %s\n%s" % (hashlib.sha256(rest).hexdigest().encode(), rest)


def test_a_file_holds_what_was_written(tmp_path: Path) -> None:
    path = written(tmp_path / "a.ntuple")
    network, header, extra = load_network(str(path), "2048", ["more"])
    assert header.model_copy(update={"extra": ()}) == HEADER
    assert extra["more"].tolist() == [0, 1, 2, 3, 4]
    expected = np.random.default_rng(1).normal(size=WEIGHTS).astype(np.float32)
    assert network.weights.tobytes() == expected.tobytes()
    assert network.offsets.tolist() == offsets_of("2048", HEADER.tuples) == [0, 256, 256 + 4096]
    assert network.floors.tolist() == [11]
    assert network.initial == 7.5
    assert network.masks.tolist() == [[0xFF, 0], [0xF | 0xF << 36 | 0xF << 60, 0]]
    assert load_network(str(path), None).extra == {}
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.ntuple"]


def test_the_mean_is_that_of_the_networks_that_know_a_weight(tmp_path: Path) -> None:
    one, two = (str(written(tmp_path / name)) for name in ("one", "two"))
    network, header, _ = load_network(one, "2048")
    network.weights[:2] = 0, 8
    save_network(Path(one), header, network)
    second = load_network(two, "2048").network.weights
    mean = mean_network([one, two]).weights
    assert mean[:2].tolist() == [second[0], (8 + second[1]) / 2]
    assert (mean[2:] == second[2:]).all()
    save_network(Path(two), header.model_copy(update={"initial": 1.0}), network)
    with pytest.raises(ValueError, match="two: has another game, tuples or stages than"):
        mean_network([one, two])


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "tile"), [("2048", 2048), ("2584", 2584)])
def test_the_networks_that_come_along_play_as_their_headers_tell(rules: str, tile: int) -> None:
    assert default_network(rules).stat().st_size <= 12_000_000
    network, header, _ = load_network("default", rules)
    assert (header.rules, header.numbers) == (rules, "int16")
    assert set(header.method) == set(METHOD)
    assert np.count_nonzero(network.weights) > 1_000_000
    block, _ = play_greedily(header, network, 20, 5, shrink.DOWNGRADE)
    told = header.scores[str(tile)]
    assert told > 0.95
    # Listed are tiles from the least on that a game ended with.
    reached = 1.0 if min(block.reached) > tile else block.reached[tile]
    assert reached > told - 0.25  # of 20 games: five standard errors; of the mean, four
    assert block.mean > 0.6 * header.scores["mean"]


def test_another_program_can_read_it_by_its_description(tmp_path: Path) -> None:
    first, line, payload = written(tmp_path / "a.ntuple").read_bytes().split(b"\n", 2)
    assert first == b"n-tuple network 1 sha256 " + (
        hashlib.sha256(line + b"\n" + payload).hexdigest().encode()
    )
    assert json.loads(line)["tuples"] == [["a1", "b1"], ["d4", "a1", "b3"]]
    content = zstandard.ZstdDecompressor().decompressobj().decompress(payload)
    assert len(content) == 4 * WEIGHTS + 5 * 8
    weights = np.frombuffer(content, "<f4", WEIGHTS)
    assert weights.tobytes() == load_network(str(tmp_path / "a.ntuple"), "2048")[0][0].tobytes()


def test_weights_as_int16_are_multiples_of_their_table_s_scale(tmp_path: Path) -> None:
    scales = (0.5, 0.25, 1.0, 0.125)
    header = HEADER.model_copy(update={"numbers": "int16", "scales": scales})
    found = load_network(str(written(tmp_path / "a.ntuple", header)), "2048").network.weights
    exact = np.random.default_rng(1).normal(size=WEIGHTS)
    edges = np.cumsum([0, 256, 4096, 256, 4096])
    for table, scale in enumerate(scales):
        part = slice(edges[table], edges[table + 1])
        assert np.array_equal(found[part] / scale, np.rint(exact[part] / scale))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda data: data[:-1], "is damaged: cut short"),
        (lambda data: data[:40], "is damaged: cut short"),
        (lambda data: data + b"x", "is damaged: cut short"),
        (lambda data: data.replace(b'"seed":4', b'"seed":5'), "is damaged: cut short"),
        (lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:], "is damaged: cut short"),
        (lambda data: data.replace(b"network 1", b"network 2"), "is of another version"),
        (lambda _: b"", "is not a network file"),
        (lambda _: b"PK\x03\x04 an archive", "is not a network file"),
    ],
    ids=["cut", "cut early", "longer", "header", "payload", "version", "empty", "foreign"],
)
def test_a_file_that_is_not_whole_is_refused(
    tmp_path: Path, change: Callable[[bytes], bytes], sentence: str
) -> None:
    path = written(tmp_path / "a.ntuple")
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ValueError, match=f"^{path}: {sentence}"):
        load_network(str(path), "2048")


def test_every_changed_byte_is_noticed(tmp_path: Path) -> None:
    data = written(tmp_path / "a.ntuple").read_bytes()
    for place in [*range(0, 600, 7), *range(600, len(data), len(data) // 40)]:
        changed = bytearray(data)
        changed[place] ^= 4
        (tmp_path / "b.ntuple").write_bytes(changed)
        with pytest.raises(ValueError, match=r"b\.ntuple: is "):
            load_network(str(tmp_path / "b.ntuple"), "2048")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"tuples": [["a1", "e9"]]}, r"tuples: .*'e9' is not one"),
        ({"tuples": [["a1", "a1"]]}, r"tuples: .*a1 is there again"),
        ({"tuples": []}, "tuples: must not be empty"),
        ({"stages": [7]}, "stages: a stage begins at a tile of 2048; 7 is not one"),
        ({"stages": [64, 32]}, "stages: the tiles of stages must go up"),
        ({"scales": [1.0]}, "scales: must be 0 numbers"),
        ({"numbers": "int16", "scales": [1, 1, 1, 1e35]}, "holds weights that are not numbers"),
        ({"spawn": "1/2"}, "spawn: must be '2/4'"),
        ({"colour": 1}, "colour: unknown key"),
        ({"tuples": [["a1", "b1", "c1"]] * 9}, "its payload is shorter than its header states"),
        ({"tuples": [[f"{c}{r}" for c in "abcd" for r in "1234"]]}, "MB of memory, this machine"),
        ({"rules": "2584", "spawn": "1/2", "stages": []}, "is a network for 2584, not for 2048"),
    ],
    ids=str,
)
def test_a_header_that_cannot_be_right_is_refused(
    tmp_path: Path, changes: dict[str, object], sentence: str
) -> None:
    path = written(tmp_path / "a.ntuple")
    _, line, payload = path.read_bytes().split(b"\n", 2)
    path.write_bytes(resealed({**json.loads(line), **changes}, payload))
    with pytest.raises(ValueError, match=sentence):
        load_network(str(path), "2048")


def test_a_payload_that_cannot_be_right_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.ntuple")
    line = path.read_bytes().split(b"\n", 2)[1]
    path.write_bytes(resealed(json.loads(line), b"not packed at all"))
    with pytest.raises(ValueError, match="payload cannot be unpacked"):
        load_network(str(path), "2048")
    path.write_bytes(
        b"n-tuple network 1 sha256 %s\nx\n" % hashlib.sha256(b"x\n").hexdigest().encode()
    )
    with pytest.raises(ValueError, match="second line is not a header in JSON"):
        load_network(str(path), "2048")
    weights = np.full(WEIGHTS, np.nan, np.float32)
    save_network(path, HEADER, network_of(HEADER, weights))
    with pytest.raises(ValueError, match="holds weights that are not numbers"):
        load_network(str(path), "2048")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no\.ntuple' cannot be read \(No such file"):
        load_network(str(tmp_path / "no.ntuple"), "2048")
    with pytest.raises(ValueError, match="lacks errors: it is not a checkpoint"):
        load_network(str(written(tmp_path / "a.ntuple")), "2048", ["errors"])


def test_a_large_network_is_written_without_a_copy(tmp_path: Path) -> None:
    header = HEADER.model_copy(update={"tuples": (("a1", "b1", "c1", "d1", "a2"),)})
    rows = np.zeros((2 * 16**5, 4), np.float32)
    tracemalloc.start()
    save_network(tmp_path / "a.ntuple", header, network_of(header, rows[:, 0]))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 6_000_000 < 4 * len(rows)


def test_memory_that_the_compression_lacks_is_a_memory_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise zstandard.ZstdError("zstd compress error: Allocation error : not enough memory")

    path = written(tmp_path / "a.ntuple")
    before = path.read_bytes()
    monkeypatch.setattr(zstandard.ZstdCompressor, "stream_writer", full)
    with pytest.raises(MemoryError, match="not enough memory"):
        written(path)
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = written(tmp_path / "a.ntuple")
    before = path.read_bytes()
    with pytest.raises(KeyError):
        save_network(path, HEADER, network_of(HEADER), _Broken(more=np.zeros(1, np.uint8)))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


class _Broken(dict[str, object]):
    """Arrays that are lost while they are written."""

    def values(self) -> object:  # type: ignore[override] # it fails on purpose
        raise KeyError


def test_a_tuple_has_up_to_eight_twins() -> None:
    cells = BoardCells("2048", {})
    assert cells.twins(["a1", "b1"]) == {
        *(("a1", "b1"), ("c1", "d1"), ("a1", "a2"), ("d1", "d2")),
        *(("a3", "a4"), ("d3", "d4"), ("a4", "b4"), ("c4", "d4")),
    }
    assert cells.twins(["b2", "c2", "b3", "c3"]) == {("b2", "c2", "b3", "c3")}
