"""One module per command: it configures its parser, runs the command and returns a Reply."""
