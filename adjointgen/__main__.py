"""`python -m adjointgen` is the command `adjointgen`."""

from adjointgen.cli import main

if __name__ == "__main__":
    main()
