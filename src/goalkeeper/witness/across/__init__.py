"""Held-out Python tests ask the product across a pipe: each has a process and a sandbox of its own.

`pair` starts both. The other modules are copied beside a run and run on the project's own Python
(3.9 or newer), so they import nothing else of ours: `judge` in the process of the tests, `product`
in the process of the product, `values` and `peer` in both.
"""
