"""`python -m players.bench`."""

from rich.console import Console

from players.bench import bench_search, table

if __name__ == "__main__":
    Console().print(table(bench_search()))
