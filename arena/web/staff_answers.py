"""The actions of the staff, and their answers: a sentence on the page of the form. Each action is
kept in `COURSE/staff.log`.
"""

import secrets
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response
from fastapi.routing import APIRoute

from arena.bots.course import listing, refusal
from arena.bots.course_file import TOURNAMENTS, tournament_files
from arena.errors import ArenaError, ConfigError
from arena.reports.html.folders import without_folders
from arena.tournament.conditions import load_conditions
from arena.web.errors import in_public
from arena.web.rates import address_of
from arena.web.staff_log import add_line
from arena.web.state import course_of, state_of

_WAITING = 100
"""Answers that wait for their page; older ones are forgotten."""


class StaffAnswer(NamedTuple):
    sentence: str
    links: Mapping[str, str] = {}
    """Links of owners, by their names: shown this once."""
    failed: bool = False
    typed: str = ""
    """Names of owners that were not taken, for another try."""


class StaffActions:
    """The parts of a course that the staff works on, and the answers to its forms."""

    def __init__(self, request: Request) -> None:
        state = course_of(request)
        self.course, self.rules, self.roster = state.folder, state.rules, state.people.roster
        self.scheduler, self.table_freeze = state.scheduler, state.table_freeze
        self.checks = state.checks
        self.answers = state.answers
        self._who = f"staff, {address_of(request)}"
        settings = state_of(request).settings
        self._base = str(settings.public_url or request.base_url).rstrip("/")
        self._page = quote(request.scope["path"]).rpartition("/")[0]

    def problems(self) -> list[str]:
        """Mistakes in the files of the course, and what is in force until they are fixed."""
        found = (
            (self.rules, "no tournament is begun, no bot is taken and no match is played"),
            (self.roster, "no bot is taken"),
        )
        files = [
            f"{file.problem}\nUntil it is fixed, the previous content is used, and {meanwhile}."
            for file, meanwhile in found
            if file.problem
        ]
        wrong = [*files, *self._wrong_tournaments()]
        known = "\n".join(wrong)  # the bot that holds up a tournament is named there
        wrong += (each for each in listing(self.course).damaged if each not in known)
        return [without_folders(each, self.course) for each in wrong]

    def _wrong_tournaments(self) -> Iterator[str]:
        for file in tournament_files(self.course):
            try:
                load_conditions(file)
            except ConfigError as error:
                is_check = file.stem == self.rules.now().check
                bots = ", and no bot is taken, as it is checked for it" if is_check else ""
                yield f"{error}\nUntil it is fixed, {file.stem} cannot be started{bots}."
        shown = self.scheduler.tournaments()
        held = [one.name for one in shown if one.is_standing and one.has_news]
        if held and (why := refusal(self.course)):  # it reads all files
            waits = "takes no new bots and versions."
            yield "\n".join((why, *(f"Until it is fixed, {name} {waits}" for name in held)))
        for name in self.scheduler.without_file():
            file = self.course / TOURNAMENTS / f"{name}.toml"
            yield (
                f"{file} is gone, and its run is still played; the others wait for it. To pause "
                "it, put the file back."
            )

    def did(self, what: str, sentence: str, tokens: Mapping[str, str] | None = None) -> Response:
        """Add an action to the staff's log, and answer."""
        self.note(what)
        links = {owner: f"{self._base}/in/{token}" for owner, token in (tokens or {}).items()}
        return self.answered(StaffAnswer(sentence, links))

    def note(self, what: str) -> None:
        add_line(self.course, self._who, what)

    def answered(self, answer: StaffAnswer) -> Response:
        """The page that the form was on, with the answer."""
        id_ = secrets.token_hex(8)
        self.answers[id_] = answer
        if len(self.answers) > _WAITING:
            self.answers.popitem(last=False)
        return RedirectResponse(f"{self._page}?answer={id_}", 303)


ByStaff = Annotated[StaffActions, Depends(StaffActions)]


async def _names(request: Request) -> str:
    typed = str((await request.form()).get("names", ""))
    return "\n".join(typed.splitlines())


class AnsweredRoute(APIRoute):
    """A route whose errors are answered on the page, too."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except ArenaError as error:
                staff = StaffActions(request)
                message = in_public(str(error), request)
                return staff.answered(
                    StaffAnswer(message, failed=True, typed=await _names(request))
                )

        return answer
