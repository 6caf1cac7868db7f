"""What those who verify receipts demand of them."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from goalkeeper.verifier.statement import GATES, ISOLATIONS, KINDS, ReceiptRefused

_MOST_POLICY_BYTES = 64 << 10
Rules = Mapping[str, Any]


def _is_list_of(value: object, fits: Callable[[str], bool]) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(each, str) and fits(each) for each in value)


def _is_key_id(text: str) -> bool:
    return len(text) == 64 and not set(text) - set("0123456789abcdef")  # noqa: PLR2004  SHA-256


def _is_days(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 < value < math.inf  # type: ignore[operator]


# What may stand in a policy: the name of a line, what it must be, and whether it is.
POLICY_LINES: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "kind": (f"one of {', '.join(KINDS)}", lambda value: value in KINDS),
    "gate": (f"one of {', '.join(GATES)}", lambda value: value in GATES),
    "isolation": (f"one of {', '.join(ISOLATIONS)}", lambda value: value in ISOLATIONS),
    "keys": ("a list of key ids", lambda value: _is_list_of(value, _is_key_id)),
    "independent": ("a list of roles", lambda value: _is_list_of(value, bool)),
    "max_age_days": ("a number of days above 0", _is_days),
}


def parse_policy(policy: bytes) -> tuple[Rules, list[ReceiptRefused]]:
    """What it demands, and all that is wrong with it. One that demands nothing is a mistake."""
    try:
        if len(policy) > _MOST_POLICY_BYTES:
            raise ValueError(f"it is larger than {_MOST_POLICY_BYTES} bytes")
        given = tomllib.loads(policy.decode())
    except (ValueError, RecursionError) as exc:
        return {}, [ReceiptRefused("policy-invalid", f"the policy is not TOML: {exc}")]
    wrong = [f"{name!r} is unknown" for name in given if name not in POLICY_LINES]
    wrong += [
        f"{name} must be {what}"
        for name, (what, fits) in POLICY_LINES.items()
        if name in given and not fits(given[name])
    ]
    wrong += [] if given else ["it demands nothing"]
    return given, [ReceiptRefused("policy-invalid", f"in the policy {each}") for each in wrong]
