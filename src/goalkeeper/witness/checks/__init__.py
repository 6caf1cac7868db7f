"""One module per kind of check; `table` names them all."""
