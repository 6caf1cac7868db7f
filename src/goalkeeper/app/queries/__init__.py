"""What is asked and shown: documents made from plans and ports, for every door alike.

A query changes nothing and formats nothing. What it returns is what `--json` prints, or a value
that has it as `document`.
"""
