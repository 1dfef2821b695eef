"""The pages name all there is: each key, option, command and what Python offers."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import arena
import rules
from arena.bots.course_file import Course
from arena.bots.manifest import Manifest
from arena.cli.options import RULES_HELP
from arena.environments.views import VIEWS
from arena.files.toml_tables import TomlTable
from arena.records import FORMS
from arena.reports import handbook
from arena.tournament.config_tables import TournamentFile
from arena.tournament.formats import FORMATS
from players.catalogue import BUILTINS
from players.learning.games.trainer import GamesTrainingFile
from players.learning.tiles.trainer import TileTrainingFile
from players.learning.tuning.config import TuneFile
from players.options import tunables
from tests.pages import COMMANDS, blocks_of, text_of


def test_the_page_has_every_key_of_a_tournament_file() -> None:
    page = text_of("tournaments/README.md")
    formats = {name: kind.keys for name, kind in FORMATS.items() if kind.keys.model_fields}
    for name, table in (tables_of(TournamentFile) | formats).items():
        assert f"[{name}]" in page
        for key in keys_of(table):
            assert f"`{key}`" in page, f"{name}.{key}"
    for name in FORMATS:
        assert f'| `"{name}"` |' in page, f"Formats has no row of {name}"


def test_the_page_and_the_help_have_every_form_of_games() -> None:
    page, told = text_of("tournaments/README.md"), COMMANDS.commands["export"].help
    for name in FORMS:
        assert f"| `{name}` |" in page, f"Games of other programs has no row of {name}"
        assert re.search(rf"\b{name}\b", told), f"export: its help has no {name}"


def test_the_protocol_and_the_help_have_every_game() -> None:
    page = "arena/bots/PROTOCOL.md"
    for name in rules.GAMES:
        told = re.search(rf"^\*\*.*`{name}`\*\*.* — ", text_of(page), re.MULTILINE)
        assert told, f"{page}: Rule sets has no {name}"
        assert re.search(rf"\b{name}\b", RULES_HELP), f"RULES_HELP has no {name}"


def test_the_page_has_every_environment() -> None:
    page = "arena/environments/README.md"
    for name in VIEWS:
        row = re.search(rf"^\| .*`{name}`.* \|", text_of(page), re.MULTILINE)
        assert row, f"{page}: no row has {name}"


def test_the_readme_has_every_page() -> None:
    for name, (file, _) in handbook.PAGES.items():
        row = f"| [{file}]({file}) | `{name}` |"
        assert row in text_of("README.md") or name == "readme", f"README.md has no row {row}"


def test_the_page_has_every_player() -> None:
    page = "players/README.md"
    for name in BUILTINS:
        row = re.search(rf"^\| .*`{name}`.* \|", text_of(page), re.MULTILINE)
        assert row, f"{page}: no row has {name}"


@pytest.mark.parametrize(
    ("page", "file"),
    [
        ("tournaments/README.md", Course),
        ("players/learning/README.md", TuneFile),
        ("players/learning/README.md", TileTrainingFile),
        ("players/learning/README.md", GamesTrainingFile),
    ],
)
def test_the_page_has_every_key_of_a_file(page: str, file: type[TomlTable]) -> None:
    text = text_of(page)
    for name, table in tables_of(file).items():
        assert f"`{name}`" in text or f"`[{name}" in text, name
        for key in keys_of(table):
            assert f"`{key}`" in text, f"{name}.{key}"


def test_the_students_page_has_every_key_of_bot_toml() -> None:
    (block,) = (each for each in blocks_of("arena/bots/README.md") if each.name == "bot.toml")
    for key in Manifest.model_fields:
        assert f"\n{key} = " in f"\n{block.text}".replace("# ", ""), key


def test_the_page_has_every_option_that_can_be_tuned() -> None:
    page = text_of("players/learning/README.md")
    (row,) = (line for line in page.splitlines() if line.startswith("| `[parameters.NAME]`"))
    for name, builtin in BUILTINS.items():
        for option in tunables(builtin.options):
            assert f"`{option}`" in row, f"{name}: {option}"


def test_the_page_has_every_option_of_engines() -> None:
    page = text_of("players/README.md")
    for name in ("gtp", "nboard"):
        for option in BUILTINS[name].options.model_fields:
            assert f"`{option}`" in page, f"{name}: {option}"


def test_the_readme_has_every_command() -> None:
    page = text_of("README.md")
    table = page[page.index("## Commands") : page.index("## Good to know")]
    for name in COMMANDS.commands:
        assert re.search(rf"`(arena )?{name}\b", table), name


def test_the_page_has_all_that_python_offers() -> None:
    page = text_of("players/README.md")
    pages = page + text_of("arena/environments/README.md")
    for name in set(arena.__all__) - {"Run"}:
        call = getattr(arena, name)
        assert f"`arena.{name}(" in page, name
        for parameter in inspect.signature(call).parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY:
                assert re.search(rf"`{parameter.name}\b", pages), f"{name}: {parameter.name}"
    for name in vars(arena.Run):
        assert name.startswith("_") or f".{name}" in page, name


def tables_of(file: type[TomlTable]) -> dict[str, Any]:
    """The tables of a file, and its keys outside of tables, by name."""
    return {field.alias or name: field.annotation for name, field in file.model_fields.items()}


def keys_of(annotation: Any) -> Iterator[str]:
    """The keys of a table, or of a list or dict of tables."""
    for each in (annotation, *getattr(annotation, "__args__", ())):
        for key, field in getattr(each, "model_fields", {}).items():
            yield field.alias or key
