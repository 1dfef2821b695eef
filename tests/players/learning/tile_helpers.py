"""A small training of 2048."""

from pathlib import Path

from players.learning.tiles.trainer import TileTrainer, TrainConfig, load_config

TOML = """
[training]
games = 60
block = 20
seed = 3
[game]
rules = "2048"
[network]
tuples = ["a1 b1 c1 d1", "a2 b2 c2 d2", "b2 a1 a2"]
"""


def small_config(folder: Path) -> TrainConfig:
    """The training of `TOML`, which is written to small.toml."""
    path = folder / "small.toml"
    path.write_text(TOML)
    return load_config(path)


def trained(config: TrainConfig, folder: Path) -> TileTrainer:
    trainer = TileTrainer(config, folder)
    while trainer.run_block():
        pass
    trainer.save()
    return trainer
