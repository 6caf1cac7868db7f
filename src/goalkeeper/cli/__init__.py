"""The command line: table of commands, rendering, exit codes."""
