"""Verifies ed25519 signatures by RFC 8032, with nothing but the standard library.

It only verifies. Nothing here is secret, so the time that it takes tells nobody anything.
"""

from __future__ import annotations

import hashlib

_Point = tuple[int, int, int, int]  # X, Y, Z, T with x = X/Z, y = Y/Z, x * y = T/Z

_PRIME = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _PRIME) % _PRIME
_ROOT_OF_MINUS_ONE = pow(2, (_PRIME - 1) // 4, _PRIME)
_NEUTRAL: _Point = (0, 1, 1, 0)
_POINT_BYTES = 32


def is_public_key(key: bytes) -> bool:
    """Return whether these bytes are a key that can tell signers apart.

    For a key of small order there are signatures that hold for many texts, made by anybody.
    """
    point = _decode_point(key)
    return point is not None and not _is_neutral(_multiply(8, point))


def has_signed(key: bytes, signature: bytes, text: bytes) -> bool:
    """Return whether the owner of a public key has signed a text.

    Each value has one encoding that is taken, so nobody can make a second signature out of one.
    """
    point = _decode_point(key)
    if point is None or not is_public_key(key) or len(signature) != 2 * _POINT_BYTES:
        return False
    start, scalar = signature[:_POINT_BYTES], int.from_bytes(signature[_POINT_BYTES:], "little")
    if scalar >= _ORDER:
        return False
    hashed = hashlib.sha512(start + key + text).digest()
    factor = int.from_bytes(hashed, "little") % _ORDER
    negated = (-point[0], point[1], point[2], -point[3])
    found = _add(_multiply(scalar, _BASE), _multiply(factor, negated))
    return _encode_point(found) == start


def _decode_point(data: bytes) -> _Point | None:
    """Return the point; None if there is none, or if these bytes are not its own encoding."""
    if len(data) != _POINT_BYTES:
        return None
    whole = int.from_bytes(data, "little")
    sign, y = whole >> 255, whole & (2**255 - 1)
    if y >= _PRIME:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _PRIME) % _PRIME
    x = pow(square, (_PRIME + 3) // 8, _PRIME)
    if (x * x - square) % _PRIME:
        x = x * _ROOT_OF_MINUS_ONE % _PRIME
    if (x * x - square) % _PRIME or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _PRIME - x
    return x, y, 1, x * y % _PRIME


def _encode_point(point: _Point) -> bytes:
    inverse = pow(point[2], -1, _PRIME)
    x, y = point[0] * inverse % _PRIME, point[1] * inverse % _PRIME
    return (y | (x & 1) << 255).to_bytes(_POINT_BYTES, "little")


def _add(one: _Point, other: _Point) -> _Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _PRIME
    b = (one[1] + one[0]) * (other[1] + other[0]) % _PRIME
    c = 2 * one[3] * other[3] * _D % _PRIME
    d = 2 * one[2] * other[2] % _PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _PRIME, g * h % _PRIME, f * g % _PRIME, e * h % _PRIME


def _multiply(times: int, point: _Point) -> _Point:
    found = _NEUTRAL
    while times:
        if times & 1:
            found = _add(found, point)
        point = _add(point, point)
        times >>= 1
    return found


def _is_neutral(point: _Point) -> bool:
    return point[0] % _PRIME == 0 and (point[1] - point[2]) % _PRIME == 0


def _find_base() -> _Point:
    y = 4 * pow(5, -1, _PRIME) % _PRIME
    point = _decode_point(y.to_bytes(_POINT_BYTES, "little"))
    if point is None:
        raise ArithmeticError("the base point is not on the curve")
    return point


_BASE = _find_base()
