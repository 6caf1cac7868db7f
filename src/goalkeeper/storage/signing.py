"""Keys that sign receipts, by libraries that take long to load."""

from __future__ import annotations

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner, SSlibKey

from goalkeeper.verifier.statement import PAYLOAD
from goalkeeper.wire.canonical import sha256


def make_key() -> tuple[bytes, bytes]:
    """Make a key; return its private and its public half as PEM."""
    made = Ed25519PrivateKey.generate()
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    private = made.private_bytes(encoding, form, serialization.NoEncryption())
    spki = serialization.PublicFormat.SubjectPublicKeyInfo
    return private, made.public_key().public_bytes(encoding, spki)


def sign_payload(payload: bytes, pem: bytes, name: str) -> dict[str, object]:
    """Return a DSSE envelope; raise ValueError if it is not the key of that name."""
    private = serialization.load_pem_private_key(pem, None)
    if not isinstance(private, Ed25519PrivateKey):
        raise ValueError("it is not an ed25519 key")
    raw = private.public_key().public_bytes_raw()
    if sha256(raw) != name:
        raise ValueError("it is not the key that it is named for")
    envelope = Envelope(payload, PAYLOAD, {})
    public = SSlibKey(name, "ed25519", "ed25519", {"public": raw.hex()})
    envelope.sign(CryptoSigner(private, public))
    document: dict[str, object] = envelope.to_dict()
    return document
