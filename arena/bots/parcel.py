"""A package on its way to another machine, which knows it by the digest of its files."""

import io
import tarfile
from pathlib import Path

from arena.bots.archive import HEADER_BYTES, unpack
from arena.bots.entries import MAX_BYTES, files_in, files_of, opened
from arena.bots.package import made_in_store, package_store
from arena.bots.trees import digest, hold, settle
from arena.errors import PackageError
from arena.model.contender import Contender, Home, Package

_NAME = Path("parcel.tar")
_TOP = "parcel"
"""The folder around all: what unpacks a bot in one folder takes that away, not of a script."""


def is_here(package: Package) -> bool:
    """Whether its files are here; from now on they stay."""
    folder = package_store() / package.digest
    hold(folder)
    return (folder / package.opens).exists()


def pack(contender: Contender, home: Home) -> bytes:
    """The files of a contender's package, as this machine has them. Raises PackageError."""
    package = contender.program
    assert isinstance(package, Package)
    folder, packed = Path(home.package or package_store() / package.digest), io.BytesIO()
    try:
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for name in files_of(folder, package.opens):
                with opened(folder, name) as file:
                    tar.addfile(tar.gettarinfo(arcname=f"{_TOP}/{name}", fileobj=file), file)
    except OSError as error:
        raise PackageError(folder, [f"cannot be read: {error.strerror}"]) from None
    return packed.getvalue()


def keep(expected: str, packed: bytes) -> None:
    """Store a package here. Raises PackageError where its files have another digest."""
    with made_in_store() as aside:
        unpack(_NAME, io.BytesIO(packed), aside, most=MAX_BYTES + HEADER_BYTES)
        for folder in (aside, aside / _TOP):
            if folder.is_dir() and digest(folder, files_in(folder)) == expected:
                settle(folder, package_store() / expected)
                return
    raise PackageError(_NAME, [f"holds other files than those of {expected[:8]}"])
