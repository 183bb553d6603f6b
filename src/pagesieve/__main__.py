"""`python -m pagesieve` is the command line."""

from pagesieve.cli import main

if __name__ == "__main__":
    main()
