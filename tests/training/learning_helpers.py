"""What the tests of learned evaluations share."""

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
