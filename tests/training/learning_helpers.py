"""What the tests of learned evaluations share."""

from typer.testing import CliRunner, Result

from arena.cli import app

LEARN = """
[tuning]
method = "td"
games = 60
block = 30
yardstick = "random"
yardstick_games = 20
[game]
rules = "othello"
size = 6
[network]
tuples = ["straight-2"]
"""


def arena(*arguments: str) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result
