"""Who judges which kind of capture. Decoders are dear, so each is loaded when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from goalkeeper.witness.proofs.verdict import Unfit

Judge = Callable[[bytes, str], Unfit | None]


def _screenshot(data: bytes, surface: str) -> Unfit | None:
    from goalkeeper.witness.proofs.screenshot import screenshot  # noqa: PLC0415

    del surface
    return screenshot(data)


def _pty(data: bytes, surface: str) -> Unfit | None:
    from goalkeeper.witness.proofs.pty import pty  # noqa: PLC0415

    del surface
    return pty(data)


def _automation(data: bytes, surface: str) -> Unfit | None:
    from goalkeeper.witness.proofs.automation import automation  # noqa: PLC0415

    return automation(data, surface)


JUDGES: Mapping[str, Judge] = {
    "screenshot": _screenshot,
    "pty": _pty,
    "automation": _automation,
}
