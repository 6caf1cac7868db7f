"""`python -m goalkeeper` is the `goalkeeper` command."""

import sys

from goalkeeper.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
