"""What the bytes of an artifact fail to show."""

from __future__ import annotations

from goalkeeper.wire.value import Value


class Unfit(Value):
    """Why the bytes prove nothing."""

    code: str
    message: str
    mend: str
