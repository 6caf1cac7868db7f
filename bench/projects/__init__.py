"""Projects of other people, from their archives to a proof, with nothing written by hand."""
