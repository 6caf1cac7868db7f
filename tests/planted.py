"""Secrets of many kinds, made up, for tests that look where they end up."""

import base64
import random
import string
from typing import NamedTuple

_DICE = random.Random(15)


def _pick(size: int, letters: str = string.ascii_letters + string.digits) -> str:
    """Letters with digits among them, as tokens have them."""
    made = "".join(_DICE.choice(letters) for _ in range(size - 2))
    return f"{made[: size // 2]}7{made[size // 2 :]}4"


def _pick_hex(size: int) -> str:
    return _DICE.randbytes(size // 2).hex()


class Planted(NamedTuple):
    """A secret as it is printed, the part that nobody may find again, and the user's variables."""

    kind: str
    text: str
    core: str
    environ: dict[str, str] = {}  # noqa: RUF012  nobody changes it


def _token(kind: str, prefix: str, size: int, letters: str = "") -> Planted:
    core = _pick(size, letters) if letters else _pick(size)
    return Planted(kind, prefix + core, core)


def _variable(name: str, value: str) -> Planted:
    return Planted(f"variable {name}", value, value.splitlines()[-1], {name: value})


def _key(kind: str, header: str) -> Planted:
    body = base64.b64encode(_DICE.randbytes(120)).decode()
    lines = [body[n : n + 64] for n in range(0, len(body), 64)]
    block = "\n".join([f"-----BEGIN {header}-----", *lines, f"-----END {header}-----"])
    return Planted(kind, block, lines[1])


def _placed(kind: str, form: str, core: str) -> Planted:
    return Planted(kind, form.format(core), core)


_UPPER = string.ascii_uppercase + string.digits
KINDS = [
    _variable("DEPLOY_TOKEN", "correct horse battery"),
    _variable("DB_PASSWORD", "swordfish"),
    _variable("MY_API_KEY", "abcdefgh"),
    _variable("SENTRY_DSN", "sesame-open-now"),
    _variable("SIGNING_KEY", "first line of the key\nsecond line of the key"),
    _token("github classic", "ghp_", 36), _token("github fine", "github_pat_", 60),
    _token("github app", "ghs_", 36), _token("gitlab", "glpat-", 20),
    _token("aws id", "AKIA", 16, _UPPER), _token("aws session id", "ASIA", 16, _UPPER),
    _token("google", "AIza", 35), _token("google oauth", "ya29.", 60),
    _token("openai", "sk-proj-", 48), _token("anthropic", "sk-ant-api03-", 60),
    _token("stripe", "sk_live_", 24), _token("stripe webhook", "whsec_", 32),
    _token("slack", "xoxb-", 40), _token("npm", "npm_", 36), _token("pypi", "pypi-AgE", 60),
    _token("hugging face", "hf_", 34), _token("sendgrid", "SG.", 50),
    _token("shopify", "shpat_", 32), _token("docker", "dckr_pat_", 27),
    _token("vault", "hvs.", 90), _token("figma", "figd_", 40), _token("linear", "lin_api_", 40),
    _token("supabase", "sbp_", 40), _token("grafana", "glsa_", 40), _token("doppler", "dp.pt.", 43),
    _token("age", "AGE-SECRET-KEY-", 58, _UPPER),
    Planted("databricks", f"dapi{(core := _pick_hex(32))}", core),
    Planted("digitalocean", f"dop_v1_{(core := _pick_hex(64))}", core),
    Planted("telegram", f"7{_DICE.randrange(10**8, 10**9)}:AA{(core := _pick(33))}", core),
    Planted("jwt", f"eyJ{_pick(33)}.eyJ{_pick(60)}.{(core := _pick(43))}", core),
    _token("base64", "", 44), _token("base64 url", "", 43, string.ascii_letters + "0123456789-_"),
    _placed("assigned", "password={}", "Hunter22"), _placed("option", "--api-key={}", "q1w2e3r4t5"),
    _placed("json", '"client_secret": "{}"', "p4ssw0rdish"),
    _placed("header", "Authorization: Bearer {}", _pick(24)),
    _placed("basic", "Authorization: Basic {}", base64.b64encode(b"u:longpassword1").decode()),
    _placed("url", "postgres://app:{}@db.example.org/x", "pg-pass-99"),
    _placed("cookie", "Set-Cookie: session={}", "c00kie-monster-1"),
    _placed("azure", "AccountKey={}", base64.b64encode(_DICE.randbytes(64)).decode()),
    _placed("hex", "secret_key: {}", _pick_hex(48)),
    _key("rsa", "RSA PRIVATE KEY"), _key("openssh", "OPENSSH PRIVATE KEY"),
    _key("pkcs8", "PRIVATE KEY"), _key("pgp", "PGP PRIVATE KEY BLOCK"),
    # Values of the user's variables in other forms: encoded, and broken by whoever prints them.
    Planted("in base64", base64.b64encode(b"app:swordfish").decode(), "N3b3JkZmlz"),
    Planted("in hexadecimal", b"correct horse battery".hex(), b"horse".hex()),
    Planted("in a URL", "?t=correct%20horse+battery&u=correct+horse+battery", "correct+horse"),
    Planted("over two lines", "│ correct hor  │\n│ se battery", "se battery"),
    Planted("quoted", r"\x1b[1mcorrect\x1b[0m horse battery", "horse battery"),
]  # fmt: skip
ENVIRON = {name: value for each in KINDS for name, value in each.environ.items()}
