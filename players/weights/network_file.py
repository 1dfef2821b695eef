"""n-tuple networks in files: the format, reading and writing.

A file is two lines of text and a payload:

1. `n-tuple network 1 sha256 HEX`: the format with its version, and the SHA-256 of all that follows
   this line.
2. The header: one line of JSON, in UTF-8, whose keys are the fields of `Header`.
3. The payload, up to the end of the file: one Zstandard frame. Unpacked it is the weights, as the
   header's `numbers`, then each array of its `extra`, in that order and with nothing in between.
   All numbers are little-endian.

The weights are those of the first stage, table after table in the order of `tuples`, then those of
the next stage. A tuple of n cells has a table of 2^(bits · n) weights, with 4 bits a cell in 2048
and 5 in 2584. A board's entry in it is the number whose lowest bits are the index of the tile on
the tuple's first cell, then the next cell's, the cells taken in the order a1 b1 c1 d1 a2 … d4
(column letter, row number from the top). The index of a tile is its place among the tiles of the
game in ascending order, from 1 (in 2048: 2, 4, 8, … up to 32,768; in 2584: 1, 2, 3, 5, 8, … up to
2,178,309); an empty cell has 0.

With `numbers` "float32" a weight is itself. With "int16" it is the number times the table's scale.
The value of a board after a slide is `initial` plus the sum of one weight for each tuple on each of
the board's 8 symmetric images. Its stage is how many of `stages` its largest tile has reached;
where a stage's weight is 0, the weight of the stage before stands for it.

In Othello and in dots and boxes the board is a position as its mover sees it, the value what it
still wins by, in discs or boxes, and the stage how many of `stages` the discs on the board, or the
edges drawn, have reached. In Othello a tuple has 3^n weights, at numbers in base three: 0 for an
empty square, 1 for a disc of the mover, 2 for one of the other, the lowest digit first, squares in
the order a1 b1 … h8. In dots it has 2^n, at numbers whose bits are 1 for edges not drawn yet: the
horizontal ones first, then the vertical, each in the order of their left or upper dots, row by row.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from io import BufferedReader
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import zstandard
from pydantic import ValidationError

from arena.files.toml_tables import explain, written
from arena.files.whole_file import replacing
from players.ntuple.network import Network
from players.option_files import (
    first_line,
    header_object,
    naming,
    network_header,
    refuse_other_rules,
)
from players.weights.network_header import Extra, Header, memory_mb, network_of, offsets_of

DEFAULT = "default"
"""The name of the network that comes with the package."""

QUICK, SMALL = 1, 19
"""Levels of compression: for checkpoints, and for a file that is made once."""

INT16_MOST = 32_767
_PIECE = 1 << 18
"""Numbers that are packed at a time."""
_NUMBERS = {"float32": "<f4", "int16": "<i2", "int64": "<i8", "uint64": "<u8", "uint8": "|u1"}


def default_network(rules: str) -> Path:
    """The file of the network that comes with the package for 2048 or 2584."""
    return Path(__file__).with_name(f"network-{rules}.ntuple")


class Loaded(NamedTuple):
    network: Network
    header: Header
    extra: Mapping[str, Any]
    """The arrays that were asked for, by name."""


def load_network(name: str, rules: str | None, extra: Collection[str] = ()) -> Loaded:
    """The network in the file `name`, or that which comes with the package for `rules`, "default";
    with the arrays named in `extra`. None as `rules` takes a network for any game.

    Raises ValueError: the file with what is wrong and what to do.
    """
    path = default_network(str(rules)) if name == DEFAULT else Path(name)
    expected = f"{DEFAULT!r} or the path of a network file"
    with naming(path, "network", expected), path.open("rb") as file:
        return _read(file, rules, extra)


def mean_network(names: Sequence[str]) -> Network:
    """The mean of the networks in files. A weight is the mean over those that know it: 0 is that of
    a board never met. Raises ValueError, as `load_network` does.
    """
    total, known, shapes = np.zeros(1, np.float32), np.zeros(1, np.uint8), set[tuple[object, ...]]()
    for name in names:
        network, header, _ = load_network(name, None)
        board = header.rules, header.spawn, str(header.variant)
        shapes.add((*board, header.tuples, header.stages, header.initial))
        if len(shapes) > 1:
            raise ValueError(f"{name}: has another game, tuples or stages than {names[0]}")
        total, known = total + network.weights, known + (network.weights != 0)
    return network._replace(weights=total / np.maximum(known, np.uint8(1)))


def save_network(
    path: Path,
    header: Header,
    network: Network,
    extra: Mapping[str, Any] | None = None,
    level: int = QUICK,
) -> None:
    """Write a file as a whole: at `path` there is the old one or the new one, whatever happens.

    `extra` are arrays of one dimension to keep behind the weights. With `numbers` "int16" weights
    are rounded to multiples of the header's scales, and cut off at 32,767 of them. Raises OSError
    and MemoryError.
    """
    extra = extra or {}
    arrays = (
        Extra(name=key, numbers=each.dtype.name, length=len(each)) for key, each in extra.items()
    )
    header = header.model_copy(update={"extra": tuple(arrays)})
    weights = network.weights if header.numbers == "float32" else _as_int16(header, network)
    with replacing(path, "w+b") as file:
        file.write(first_line("0" * hashlib.sha256().digest_size * 2))
        begin = file.tell()
        file.write(header.model_dump_json().encode() + b"\n")
        try:
            with zstandard.ZstdCompressor(level).stream_writer(file, closefd=False) as packed:
                for array in (weights, *extra.values()):
                    for first in range(0, len(array), _PIECE):  # there may be no memory for a copy
                        piece, dtype = array[first : first + _PIECE], array.dtype.newbyteorder("<")
                        little: Any = np.ascontiguousarray(piece, dtype)
                        packed.write(memoryview(little).cast("B"))
        except zstandard.ZstdError as error:  # its own word for that
            raise MemoryError(str(error)) from error
        file.seek(begin)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        file.write(first_line(digest))


def _read(file: BufferedReader, rules: str | None, extra: Collection[str]) -> Loaded:
    """A file's content. Raises ValueError without the name of the file."""
    header = _header(network_header(file))
    if rules is not None:
        refuse_other_rules(header.rules, rules)
    length = (len(header.stages) + 1) * offsets_of(header.rules, header.tuples)[-1]
    beyond = sum(8 * each.length for each in header.extra if extra)
    needed = (4 * length + beyond) // 1_000_000
    if needed > memory_mb():
        raise ValueError(f"needs {needed:,} MB of memory, this machine has {memory_mb():,} MB")
    try:
        with zstandard.ZstdDecompressor().stream_reader(file, closefd=False) as payload:
            network = network_of(header, _weights(header, _array(payload, header.numbers, length)))
            arrays = {}
            for each in header.extra if extra else ():
                array = _array(payload, each.numbers, each.length)
                if each.name in extra:
                    arrays[each.name] = array
    except zstandard.ZstdError as error:
        raise ValueError(f"its payload cannot be unpacked: {error}") from error
    except MemoryError:
        raise ValueError(
            f"needs {needed:,} MB of memory, more than this process may have"
        ) from None
    lacking = sorted(set(extra) - set(arrays))
    if lacking:
        raise ValueError(f"lacks {', '.join(lacking)}: it is not a checkpoint")
    return Loaded(network, header, arrays)


def _header(line: bytes) -> Header:
    data = header_object(line)
    try:
        return Header.model_validate_json(line)
    except ValidationError as error:
        found = [f"{written(at)}: {message}" for at, message in explain(error, Header, data)]
        raise ValueError(f"its header is wrong: {'; '.join(found)}") from error


def _array(payload: Any, numbers: str, length: int) -> Any:
    """The next `length` numbers of the payload."""
    array = np.empty(length, _NUMBERS[numbers])
    view, at = memoryview(array.data).cast("B"), 0
    while at < len(view):
        count = payload.readinto(view[at:])
        if count == 0:
            raise ValueError("its payload is shorter than its header states")
        at += count
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _weights(header: Header, weights: Any) -> Any:
    """The numbers of the payload as float32. Raises ValueError for NaN and infinity."""
    limits = weights  # none is beyond these
    if header.numbers == "int16":
        with np.errstate(over="ignore"):
            limits = np.float32(np.iinfo(np.int16).min) * np.array(header.scales, np.float32)
    if not np.isfinite(np.sum(limits, dtype=np.float64)):
        raise ValueError("holds weights that are not numbers")
    if header.numbers == "int16":
        whole, weights = weights, np.empty(len(weights), np.float32)
        for table, scale in zip(tables_of(header), header.scales, strict=True):
            np.multiply(whole[table], np.float32(scale), out=weights[table])
    return weights


def _as_int16(header: Header, network: Network) -> Any:
    """The weights as multiples of the header's scales."""
    whole = np.empty(len(network.weights), np.int16)
    for table, scale in zip(tables_of(header), header.scales, strict=True):
        multiples = np.rint(network.weights[table] / np.float32(scale))
        whole[table] = np.clip(multiples, -INT16_MOST, INT16_MOST)
    return whole


def tables_of(header: Header) -> list[slice]:
    """Where the tables are among the weights, stage after stage."""
    offsets = offsets_of(header.rules, header.tuples)
    count, size = len(header.stages) + 1, offsets[-1]
    starts = [stage * size + offset for stage in range(count) for offset in offsets[:-1]]
    return [slice(*ends) for ends in pairwise([*starts, count * size])]
