"""The DSSE envelope of a receipt, and who signed it."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from goalkeeper.verifier.ed25519 import has_signed, is_public_key
from goalkeeper.verifier.statement import PAYLOAD, ReceiptRefused, check_shape, read_json

_BEGIN, _END = b"-----BEGIN PUBLIC KEY-----", b"-----END PUBLIC KEY-----"
_ED25519_KEY = bytes.fromhex("302a300506032b6570032100")  # RFC 8410; the key follows


def read_statement(envelope: bytes, keys: Sequence[bytes]) -> tuple[dict[str, Any], set[str]]:
    """Return what the receipt states, and which of these public keys (PEM) have signed it."""
    payload, signers = verify_signatures(read_json(envelope, "the envelope"), keys)
    told = read_json(payload, "the statement")
    check_shape(told)
    return told, signers


def read_payload(envelope: bytes) -> bytes:
    """Return what is in it, whoever has signed it or not."""
    return _decode_base64(read_json(envelope, "the envelope").get("payload"), "the payload")


def verify_signatures(envelope: dict[str, Any], keys: Sequence[bytes]) -> tuple[bytes, set[str]]:
    if set(envelope) != {"payload", "payloadType", "signatures"}:
        raise ReceiptRefused("malformed", "the envelope has other fields than DSSE has")
    if envelope["payloadType"] != PAYLOAD:
        said = f"its payload is {envelope['payloadType']!r}, not {PAYLOAD}"
        raise ReceiptRefused("malformed", said)
    signatures = envelope["signatures"]
    if not isinstance(signatures, list) or not signatures:
        raise ReceiptRefused("unsigned", "nobody has signed it")
    payload = _decode_base64(envelope["payload"], "the payload")
    known = _index_keys(keys)
    told = [s for s in signatures if isinstance(s, dict)]
    named = [s.get("keyid") for s in told]
    mine = [s for s in told if isinstance(s.get("keyid"), str) and s["keyid"] in known]
    if not mine:
        said = f"it is signed with {named}, which is no key that is trusted"
        raise ReceiptRefused("wrong-key", said)
    text = b"DSSEv1 %d %b %d %b" % (len(PAYLOAD), PAYLOAD.encode(), len(payload), payload)
    # A signature that stands there ten thousand times is checked once.
    sealed = {(s["keyid"], _decode_base64(s.get("sig"), "a sig")) for s in mine}
    if not all(has_signed(known[name], signature, text) for name, signature in sealed):
        raise ReceiptRefused("tampered", "its signature is not of these bytes")
    return payload, {signature["keyid"] for signature in mine}


def _index_keys(files: Sequence[bytes]) -> dict[str, bytes]:
    """Map ids to keys; a file may hold several. A file that is no key is ignored."""
    found = {}
    for key in (key for file in files for key in _cut_keys(file)):
        with suppress(ReceiptRefused):
            found[key_id(key)] = _load_key(key)
    return found


def _cut_keys(file: bytes) -> Iterator[bytes]:
    end = 0
    while (begin := file.find(_BEGIN, end)) >= 0:
        end = file.find(_END, begin)
        if end < 0:
            return
        end += len(_END)
        yield file[begin:end]


def _load_key(key: bytes) -> bytes:
    """Return the 32 bytes of a public key (PEM)."""
    body = b"".join(key.split(b"-----")[2:3]).split()
    try:
        found = base64.b64decode(b"".join(body), validate=True)
    except binascii.Error as exc:
        raise ReceiptRefused("wrong-key", "a key is not a public key in PEM") from exc
    raw = found.removeprefix(_ED25519_KEY)
    if not found.startswith(_ED25519_KEY) or not is_public_key(raw):
        raise ReceiptRefused("wrong-key", "a key is not for ed25519")
    return raw


def key_id(key: bytes) -> str:
    """Return the SHA-256 of the key's 32 bytes: whoever has the key knows its id."""
    return hashlib.sha256(_load_key(key)).hexdigest()


def _decode_base64(value: object, what: str) -> bytes:
    if not isinstance(value, str):
        raise ReceiptRefused("malformed", f"{what} is missing")
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as exc:
        raise ReceiptRefused("malformed", f"{what} is not base64") from exc
