"""The command line: the table of commands, rendering, and exit codes."""

import gc

# Loading makes no garbage; to look for it takes longer than some commands do.
gc.set_threshold(100_000)
