"""Where a tournament is played: on this machine, or on those of a cluster."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from arena.errors import ConfigError, FileError, UserError
from arena.files.imports import extra
from arena.files.toml import read_file
from arena.files.toml_tables import Finding, problems
from arena.tournament.config_tables import ClusterTable
from arena.tournament.executors import local
from arena.tournament.executors.base import Capacity, OpenExecutor

if TYPE_CHECKING:
    from distributed import Client


class Site(NamedTuple):
    """The place of the games, and its capacity."""

    fit: Capacity
    open_executor: OpenExecutor
    here: bool
    """Whether players are prepared, and kernels compiled, on this machine."""
    client: Any = None
    """That of the cluster, where it is one."""
    give_up: Callable[[], None] = lambda: None
    """Called in any thread, ends the wait of `open_executor` for machines, by ExecutorError."""


HERE = Site(local.fit, local.LocalExecutor, here=True)


@contextmanager
def site(
    on: "str | Client | None", file: Path | None = None, *, insecure: bool = False
) -> Iterator[Site]:
    """Where `on` says, else where `[cluster]` of the file says, else here. Raises UserError."""
    table = _table(file) if file is not None else ClusterTable()
    where = table.on if on is None else on
    if where is None:
        yield HERE
        return
    with extra("cluster", "a cluster needs"):
        from arena.tournament.executors.cluster import cluster
    folder = file.resolve().parent if file is not None else Path.cwd()
    secure = table.model_copy(update={"insecure": insecure or table.insecure})
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(cluster(where, secure, folder))
        except UserError as error:
            if on is not None or file is None:
                raise
            found = problems(read_file(file)[0], [Finding(("cluster", "on"), str(error))])
            raise ConfigError(file, found) from None
        fit, open_executor, client, give_up = opened
        yield Site(fit, open_executor, here=False, client=client, give_up=give_up)


def _table(file: Path) -> ClusterTable:
    """`[cluster]` of a tournament file; mistakes in it are reported when all of it is read."""
    try:
        _, data = read_file(file)
        return ClusterTable.model_validate(data.get("cluster", {}))
    except (FileError, ValidationError):
        return ClusterTable()
