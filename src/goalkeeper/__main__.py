"""`python -m goalkeeper` is the `goalkeeper` command."""

from __future__ import annotations

import sys

from goalkeeper.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
