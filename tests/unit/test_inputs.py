"""What counts as consent."""

import io

from goalkeeper.bootstrap import World
from goalkeeper.cli.inputs import is_confirmed
from tests.tables import for_each


@for_each(
    ("typed", "with_yes", "with_no"),
    [
        (b"\n", True, False),
        (b" \n", True, False),
        (b"y\n", True, True),
        (b"YES\n", True, True),
        (b"y", True, True),
        (b"n\n", False, False),
        (b"no\n", False, False),
        (b"what?\n", False, False),
        (b"", False, False),  # the end of input is no consent
    ],
)
def test_a_yes_is_a_yes_and_an_empty_line_is_the_default(
    typed: bytes, with_yes: bool, with_no: bool
) -> None:
    for default, expected in ((True, with_yes), (False, with_no)):
        stderr = io.StringIO()
        world = World({}, "/", io.BytesIO(typed), io.StringIO(), stderr)

        assert is_confirmed(world, "Shall it?", default=default) is expected
        assert stderr.getvalue() == f"Shall it? [{'Y/n' if default else 'y/N'}] "
