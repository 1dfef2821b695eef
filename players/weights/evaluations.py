"""The numbers of the evaluations and of multi-ProbCut: files with their provenance, and reading any
such file.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from arena.files import json_text
from arena.files.whole_file import stamp
from players.games.registry import compiled_game
from players.ntuple import as_terms as network_terms
from players.option_files import NO_ARCHIVE, features_in, naming, refuse_other_settings
from players.options import EVALUATIONS

_KEPT = 4
"""Evaluations that a process keeps: more than the two that meet, in process, game after game."""

FOLDER = Path(__file__).resolve().parent


def load_terms(rules: str, variant: Mapping[str, Any], name: str = "default") -> Any:
    """int32[:]: the evaluation `name`, or the one in the file `name`, for `rules` with the settings
    `variant`.

    A `.json` file holds named features, an `.npz` file the patterns of 8×8 Othello, an `.ntuple`
    file a network. Raises ValueError naming the file, the entry, and what is expected.
    """
    path = Path(name)
    if name in EVALUATIONS:
        evaluations = compiled_game(rules).evaluations
        if evaluations is None:
            return np.zeros(1, np.int32)
        files = evaluations(variant)
        if name not in files:
            raise ValueError(
                f"no {name} evaluation is included for these rules: name a network that `arena "
                'train` made, or "default"'
            )
        path = FOLDER / files[name]
    terms: Any = _read(path, stamp(path), rules, tuple(variant.items()))
    return terms.copy()


@lru_cache(maxsize=_KEPT)
def _read(path: Path, _stamp: object, rules: str, settings: tuple[tuple[str, Any], ...]) -> Any:
    """The numbers in a file; `_stamp` distinguishes it from another that was written in its
    place.
    """
    variant = dict(settings)
    if path.suffix == ".ntuple":
        return _of_network(path, rules, variant)
    game = compiled_game(rules)
    with naming(path, "evaluation", f"{', '.join(EVALUATIONS)} or the path of a file"):
        if path.suffix == ".npz":
            if game.patterns is None or variant["size"] != 8:
                raise ValueError("patterns are for Othello on 8×8, not for this game")
            return game.patterns(*_arrays(path))
        features = features_in(path)
        if game.features is None:
            raise ValueError(f"{rules} has no evaluation of features")
        return game.features(features)


def _arrays(path: Path) -> tuple[Any, Any]:
    """The arrays "scalars" and "patterns" of an NPZ file."""
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            return np.asarray(file["scalars"]), np.asarray(file["patterns"])
    except OSError:
        raise
    except Exception as error:  # NumPy's, its tokenizer's, the archive's: any
        raise ValueError(f"{NO_ARCHIVE}: {error}") from error


def _of_network(path: Path, rules: str, variant: Mapping[str, Any]) -> Any:
    """The numbers of a network that learned these rules, the end of the game apart."""
    from players.weights.network_file import load_network  # takes 0.2 s to load

    network, header, _ = load_network(str(path), rules)
    try:
        refuse_other_settings(rules, header.variant, variant)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return network_terms.terms_of(network)


def load_spread(rules: str, variant: Mapping[str, Any]) -> Mapping[str, float] | None:
    """How far searches of two depths are apart in their values: the terms of
    `search.alphabeta.cuts.spread` for these settings; None where none are known.
    """
    spread = compiled_game(rules).spread
    if spread is None:
        return None
    content = json_text.parse((FOLDER / spread(variant)).read_text(encoding="utf-8"))
    terms: Mapping[str, float] = content["spread"]
    return terms
