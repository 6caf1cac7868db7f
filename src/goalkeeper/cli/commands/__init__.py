"""One module per command: `configure` its parser, `run` it, return a Reply."""
