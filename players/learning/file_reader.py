"""What readers of training and tuning files share: checks that report and go on."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import rules as rule_sets
from arena.files.toml import KeyPath
from arena.files.toml_tables import Finding, TomlTable, read_tables, wrong_name

_File = TypeVar("_File", bound=TomlTable)


class FileReader(Generic[_File]):
    """The checks of one file, in the order of its tables. `head` is the table with its name."""

    def __init__(self, model: type[_File], data: dict[str, Any], head: str) -> None:
        self.file: _File
        self.file, self.findings = read_tables(model, data)
        self.head = head
        self._wrong = {finding.path for finding in self.findings}

    def report(self, at: KeyPath, message: str) -> None:
        """Note a problem, unless the key was already found wrong in itself."""
        if not any(at[: len(known)] == known for known in self._wrong):
            self.findings.append(Finding(at, message))

    @property
    def reported(self) -> set[KeyPath]:
        """The keys something was found wrong with."""
        return {finding.path for finding in self.findings}

    def name(self, otherwise: str) -> str:
        """What the run is called: `otherwise` where the file does not say."""
        name: str | None = getattr(self.file, self.head).name
        if name is None:
            return otherwise
        wrong = wrong_name(name, "the run's folder")
        if wrong is not None:
            self.report((self.head, "name"), wrong)
        return name

    def game(
        self, rules: str | None, settings: Mapping[str, Any], known: str
    ) -> rule_sets.Game | None:
        """The game of a table `[game]`: one of those `known`; None where there is none."""
        if rules is None:
            self.report(("game", "rules"), f"is missing: {known}")
            return None
        game, wrong = rule_sets.judge(rules, settings)
        for key, message in wrong.items():
            self.report(("game", key) if key else ("game",), message)
        return game
