"""Events of campaigns become JSON objects and events again, as those of runs do in `core.codec`."""

from __future__ import annotations

from typing import Any, get_args

from goalkeeper.core.campaign.events import CampaignEvent
from goalkeeper.core.codec import TooNew, kind_of
from goalkeeper.core.decode import Malformed, decode, plain

_VERSION = 1
CAMPAIGN_KINDS = {kind_of(each): each for each in get_args(CampaignEvent)}


def encode_event(event: CampaignEvent) -> tuple[str, int, dict[str, Any]]:
    """Return the event's kind, version and data."""
    return kind_of(type(event)), _VERSION, plain(event)


def decode_event(kind: str, version: int, data: object) -> CampaignEvent:
    """Raise Malformed when the data does not fit its kind, TooNew when we are too old."""
    if version > _VERSION or (kind not in CAMPAIGN_KINDS and isinstance(data, dict)):
        raise TooNew(kind, version, _VERSION)
    if kind not in CAMPAIGN_KINDS:
        raise Malformed("is not an object")
    event: CampaignEvent = decode(CAMPAIGN_KINDS[kind], data)
    return event
