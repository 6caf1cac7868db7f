"""What is asked and shown: documents made from plans and ports, the same for every interface.

A query changes nothing and formats nothing. It returns what `--json` prints, or a value that has
this as `document`.
"""
