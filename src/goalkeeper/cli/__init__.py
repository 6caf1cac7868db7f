"""The command line: the table of commands, rendering, and exit codes."""
