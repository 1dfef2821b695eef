"""The command `arena`, also as `python -m arena`."""

import sys


def main() -> None:
    """Run a command. Ctrl-C while the program loads ends it as later."""
    try:
        from arena.cli import app

        app(prog_name="arena")
    except KeyboardInterrupt:
        from arena.errors import Exit

        sys.stderr.write("Interrupted.\n")
        sys.exit(Exit.INTERRUPTED)


if __name__ == "__main__":
    main()
