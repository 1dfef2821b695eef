"""`python -m players.bench`."""

from rich.console import Console

from players.bench import search_table

if __name__ == "__main__":
    Console().print(search_table())
