"""The command that shows pages: `arena serve`."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.arguments import argument, flag, option, say
from arena.errors import UserError
from arena.files.many_imports import many_imports

app = typer.Typer()


@app.command()
def serve(
    course: Annotated[
        Path | None,
        argument("COURSE", "A course, with its people.", show_default="runs alone, to look at"),
    ] = None,
    runs: Annotated[
        Path | None,
        option("DIR", "The folder of the runs.", show_default="runs, or COURSE/runs"),
    ] = None,
    host: Annotated[str, option("HOST", "Where to listen.")] = "127.0.0.1",
    port: Annotated[int, option("N", "The port; 0 for any that is free.", min=0, max=65535)] = 8000,
    public_url: Annotated[
        str | None,
        option("URL", "The address that browsers use, as https://NAME, behind Caddy or nginx."),
    ] = None,
    insecure: Annotated[
        bool, flag("--insecure", "Let other machines in over plain HTTP: in a trusted network.")
    ] = False,
) -> None:
    """Show runs in a browser, live; with a course, take its bots and play its tournaments."""
    try:
        with many_imports():
            from arena.web import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith(("arena", "players", "rules")):
            raise
        raise UserError(
            f"pages need {error.name}; install it with pip install 'bot-arena[web]'"
        ) from None
    settings = serve.settings(course, runs, public_url)
    serve.serve(settings, host, port, insecure=insecure, say=say)
