"""`python -m arena` is the command `arena`."""

from arena.cli import app

app(prog_name="arena")
