"""`python -m pagesieve` and the command `pagesieve`: the command line."""

import sys

INTERRUPTED = 130  # the exit status, as in `cli`, which may be what is not loaded yet


def main() -> None:
    """Run the command line; Ctrl-C ends it without a traceback even while Python loads it."""
    try:
        from pagesieve import cli
    except KeyboardInterrupt:
        print("pagesieve: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    cli.main()


if __name__ == "__main__":
    main()
