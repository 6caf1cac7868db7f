"""Which test of the candidate is which test of the base.

A test is known by its id in the report. One whose id is gone may have been renamed: then a new
id has the same body. For that, ids are looked up in the sources, whose tests have keys of the
form `path::name` (see `read_suite`):

- pytest with files, `tests/test_a.py::TestX::test_y[p]`: the key with the parameters behind it;
- pytest without, `tests.test_a.TestX::test_y[p]`: the key with its path and classes dotted;
- node and bats, `outer > inner > title`: reports name no file, so the title path is looked for
  in all files; `title #2` is the second one, in the order of keys;
- jest-junit, `outer inner title`: as node, joined by blanks.
"""

from __future__ import annotations

from goalkeeper.tamper.identity.comparison import Comparison, compare
from goalkeeper.tamper.identity.renaming import follow_renames
from goalkeeper.tamper.identity.sources import read_bodies, read_suite

__all__ = ["Comparison", "compare", "follow_renames", "read_bodies", "read_suite"]
