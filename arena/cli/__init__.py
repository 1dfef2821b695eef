"""The command line. Commands import what they need when they run: `arena --help` is quick."""

from arena.cli.main import app

__all__ = ["app"]
