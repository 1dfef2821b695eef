"""From a tournament file to players that can be started here: contained as asked, and built."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from arena.bots.build import build
from arena.errors import BuildError, ConfigError, Problem, SandboxError
from arena.model.containment import Guarantee
from arena.sandbox.probe import resolve
from arena.tournament.config import Player, TournamentConfig


def ready(config: TournamentConfig, file: Path) -> TournamentConfig:
    """The tournament of `file` with each player's sandbox resolved and its package built.

    Raises ConfigError: a sandbox cannot be had or holds less than is required, a build fails.
    """
    players: list[Player] = []
    refused: dict[str, list[str]] = {}
    """By sentence, the players it is said of: one of a machine is said of all of them."""
    for number, player in enumerate(config.players, 1):
        at = f"player[{number}] ({player.name})"
        try:
            players.append(built(contained(player)))
        except SandboxError as error:
            refused.setdefault(f'sandbox = "{player.sandbox}": {error}', []).append(at)
        except BuildError as error:
            refused.setdefault(str(error), []).append(at)
    problems = [Problem(", ".join(places), None, why) for why, places in refused.items()]
    problems += _lacking(players, config.require)
    if problems:
        raise ConfigError(file, tuple(problems))
    return config.model_copy(update={"players": tuple(players)})


def contained(player: Player) -> Player:
    """With the sandbox that it gets here, and what that was found to hold. Raises SandboxError."""
    spec = player.spec
    held = resolve(player.sandbox, spec)
    policy = spec.policy.model_copy(update={"mode": held.mode})
    return player.model_copy(
        update={"spec": spec.model_copy(update={"policy": policy, "held": held})}
    )


def built(player: Player) -> Player:
    """With its package built, in the sandbox it has. Raises BuildError."""
    if player.unbuilt is None:
        return player
    spec = player.spec
    bot = build(player.unbuilt, spec.policy.mode)
    spec = spec.model_copy(update={"command": bot.command, "cwd": bot.cwd})
    return player.model_copy(update={"unbuilt": None, "spec": spec})


def _lacking(players: Iterable[Player], require: Iterable[Guarantee]) -> list[Problem]:
    """What is required and not held, each with its players and what would bring it."""
    problems = []
    for guarantee in dict.fromkeys(require):
        without = [player for player in players if player.spec.held.by.get(guarantee) is None]
        if without:
            names = ", ".join(player.name for player in without)
            notes = dict.fromkeys(
                note for player in without for note in player.spec.held.notes if guarantee in note
            )
            why = " ".join(notes) or "leave it out of require, or use a machine that holds it"
            problems.append(
                Problem("tournament.require", None, f"{guarantee} is not held for {names}: {why}")
            )
    return problems
