"""Our own verification of ed25519: vectors of RFC 8032, and the inputs that fool others."""

import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from goalkeeper.verifier import ed25519
from goalkeeper.verifier.ed25519 import has_signed, is_public_key
from tests.tables import for_each

ORDER = 2**252 + 27742317777372353535851937790883648493
PRIME = 2**255 - 19
# The key, the text and the signature of section 7.1, "TEST 1" to "TEST 3" and "TEST SHA(abc)".
VECTORS = [
    ("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     ("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b4"
      "6bd25bf5f0595bbe24655141438e7a100b")),
    ("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     ("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d"
      "8c387b2eaeb4302aeeb00d291612bb0c00")),
    ("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     ("6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6"
      "594a7c15e9716ed28dc027beceea1ec40a")),
    ("ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
     hashlib.sha512(b"abc").hexdigest(),
     ("dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0"
      "303dca179c138ac17ad9bef1177331a704")),
]  # fmt: skip
KEY, TEXT, SIGNATURE = (bytes.fromhex(part) for part in VECTORS[2])
SCALAR = int.from_bytes(SIGNATURE[32:], "little")
# The points of order 1, 2, 4 and 8, and other encodings of some of them.
SMALL_ORDER = [
    (1).to_bytes(32, "little"),
    (PRIME - 1).to_bytes(32, "little"),
    bytes(32),
    bytes(31) + b"\x80",
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
    (1 | 1 << 255).to_bytes(32, "little"),
    (PRIME + 1).to_bytes(32, "little"),
    PRIME.to_bytes(32, "little"),
]


def by_openssl(key: bytes, signature: bytes, text: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, text)
    except InvalidSignature:
        return False
    return True


@for_each("vector", VECTORS, ids=["1", "2", "3", "sha-abc"])
def test_the_vectors_of_the_standard_hold_and_with_one_bit_changed_do_not(
    vector: tuple[str, str, str],
) -> None:
    key, text, signature = (bytes.fromhex(part) for part in vector)

    assert has_signed(key, signature, text)
    for at in (0, 31, 32, 63):
        changed = bytes(byte ^ (n == at) for n, byte in enumerate(signature))
        assert not has_signed(key, changed, text)
    assert not has_signed(key, signature, text + b"\0")


@for_each("signature", [
    SIGNATURE[:32] + (SCALAR + ORDER).to_bytes(32, "little"),
    SIGNATURE[:32] + (SCALAR | 1 << 255).to_bytes(32, "little"),
    SIGNATURE[:-1], SIGNATURE + b"\0", b"", SIGNATURE[32:] + SIGNATURE[:32], bytes(64),
])  # fmt: skip
def test_no_second_signature_can_be_made_out_of_one(signature: bytes) -> None:
    assert not has_signed(KEY, signature, TEXT)


@for_each("key", SMALL_ORDER, ids=bytes.hex)
def test_a_key_for_which_anybody_can_sign_is_none(key: bytes) -> None:
    neutral = (1).to_bytes(32, "little")

    assert not is_public_key(key)
    assert not any(has_signed(key, neutral + bytes(32), bytes([n])) for n in range(16))


@for_each("key", [b"", KEY[:-1], KEY + b"\0", b"\xff" * 32, (2).to_bytes(32, "little")])
def test_what_is_no_point_is_no_key(key: bytes) -> None:
    """2 is the y of no point of the curve."""
    assert not is_public_key(key)
    assert not has_signed(key, SIGNATURE, TEXT)


def test_a_key_with_a_part_of_small_order_is_judged_as_others_judge_it() -> None:
    """Only where 8 divides the hash the small part falls away."""
    torsion, whole = ed25519._decode_point(SMALL_ORDER[4]), ed25519._decode_point(KEY)
    assert torsion is not None
    assert whole is not None
    scalar, nonce = 7, 11
    mixed = ed25519._add(ed25519._multiply(scalar, ed25519._BASE), torsion)
    key = ed25519._encode_point(mixed)
    start = ed25519._encode_point(ed25519._multiply(nonce, ed25519._BASE))
    answers = []
    for number in range(24):
        text = bytes([number])
        factor = int.from_bytes(hashlib.sha512(start + key + text).digest(), "little")
        end = ((nonce + factor * scalar) % ORDER).to_bytes(32, "little")
        answers.append(has_signed(key, start + end, text))
        assert answers[-1] is by_openssl(key, start + end, text)

    assert set(answers) == {True, False}


@settings(max_examples=25, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.integers(0, 1024))
def test_it_says_what_openssl_says(seed: bytes, text: bytes, bit: int) -> None:
    """One bit of key or signature is changed; beyond the last bit, none."""
    private = Ed25519PrivateKey.from_private_bytes(seed)
    whole = bytearray(private.public_key().public_bytes_raw() + private.sign(text))
    if bit < len(whole) * 8:
        whole[bit // 8] ^= 1 << bit % 8
    key, signature = bytes(whole[:32]), bytes(whole[32:])

    assert has_signed(key, signature, text) is by_openssl(key, signature, text)
