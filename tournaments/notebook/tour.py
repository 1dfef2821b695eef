"""A tour of the arena for notebooks: play, look, count, rate.

Open it in an editor that knows `# %%` cells (VS Code, PyCharm, Spyder), make a notebook of it with
`jupytext --to notebook tour.py`, or run it as a script. Each cell ends with what it shows.
"""

# %% A tournament is a dict of the tables of its file. It is kept: running the cell again is free.
import arena

run = arena.run(
    {
        "tournament": {"name": "tour", "rounds": 5},
        "game": {"rules": "othello", "size": 6},
        "openings": {"plies": 4},
        "player": [{"bot": "greedy"}, {"bot": "monkey"}, {"bot": "monkey", "name": "chaos"}],
    }
)

# %% The standings, as on the pages. They are columns: pandas.DataFrame(standings) takes them.
standings = run.standings()
standings

# %% Who beats whom.
run.crosstable()

# %% Whose lead over the next is sure? The report has it, and all other figures, as a dict.
report = run.report()
{pair["upper"]: (pair["difference"], pair["error"], pair["los"]) for pair in report["neighbours"]}

# %% Games are columns too. The five with the most moves:
games = run.games()
longest = sorted(zip(games["moves"], games["game"]), reverse=True)[:5]
longest

# %% A game, to be stepped through with the buttons below the board.
run.game(longest[0][1])

# %% The board after 12 moves; the last one is marked.
run.board("g0001", ply=12)

# %% Any position of the rules.
import rules

start = rules.load("dots", rows=3, cols=3).start()
arena.board(start, ["a1b1", "a1a2", "b1b2", "a2b2"])

# %% Every move of every game: who thinks how long?
moves = run.moves()
used = {name: [] for name in standings["name"]}
for player, ms in zip(moves["player"], moves["used_ms"]):
    if ms is not None:
        used[player].append(ms)
{name: round(sum(times) / len(times), 2) for name, times in used.items()}

# %% One game now, without a tournament.
record = arena.play("dots", ["greedy", "monkey"], settings={"rows": 3, "cols": 3})
record.scores

# %% Elo for results from anywhere.
ratings = arena.rate([("ann", "bob", 1), ("bob", "ann", 0.5), ("ann", "eve", 0)])
dict(zip(ratings["name"], ratings["elo"]))
