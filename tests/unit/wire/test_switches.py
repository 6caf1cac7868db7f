"""Which of a client's files turn its hooks off."""

from goalkeeper.wire.switches import find_switched_off, list_hooked
from tests.tables import for_each

HOOKS = b'{"hooks": "h=/x/goalkeeper/hooks/front.sh; . $h"}'


def why(client: str, files: dict[str, bytes], hooked: tuple[str, ...] = ()) -> str:
    environ = {"HOME": "/home"}
    return find_switched_off(client, environ, "/p", hooked, lambda path: files.get(path, b""))


@for_each(
    ("client", "path", "text"),
    [
        ("claude", "/p/.claude/settings.json", b'{"disableAllHooks": true}'),
        ("claude", "/p/.claude/settings.local.json", b'{"a": 1, "disableAllHooks":true}'),
        ("claude", "/home/.claude/settings.json", b'\xef\xbb\xbf{"disableAllHooks": true}'),
        ("codex", "/home/.codex/config.toml", b"a = 1\n[features] # mine\n hooks = false\n"),
        ("codex", "/home/.codex/config.toml", b"features.hooks = false\n"),
        ("gemini", "/home/.gemini/settings.json", b'{"hooksConfig": {"enabled": false}}'),
        ("copilot", "/home/.copilot/config.json", b'{"disableAllHooks": true}'),
    ],
)
def test_a_switch_is_found_wherever_the_client_looks(client: str, path: str, text: bytes) -> None:
    assert why(client, {path: text}).startswith(f"{path} sets ")


@for_each(
    ("client", "path", "text"),
    [
        ("claude", "/p/.claude/settings.json", b'{"disableAllHooks": false}'),
        ("claude", "/p/.claude/settings.json", b'{"x": {"disableAllHooks": true}}'),
        ("claude", "/p/.claude/settings.json", b"[true]"),
        ("claude", "/p/.claude/settings.json", b'{"disableAllHooks": tr'),
        ("claude", "/p/settings.json", b'{"disableAllHooks": true}'),
        ("codex", "/home/.codex/config.toml", b"[other]\nhooks = false\n"),
        ("codex", "/home/.codex/config.toml", b"[features]\nhooks = true\n# hooks = false\n"),
        ("gemini", "/p/.gemini/settings.json", b'{"hooksConfig": {"enabled": true}}'),
        ("cursor", "/p/.cursor/hooks.json", b'{"disableAllHooks": true}'),
    ],
)
def test_anything_else_is_no_switch(client: str, path: str, text: bytes) -> None:
    assert why(client, {path: text}) == ""


def test_a_file_that_called_us_and_no_longer_does_is_told() -> None:
    path = "/dir/hooks.json"
    files = {path: HOOKS}
    hooked = list_hooked("codex", {"CODEX_HOME": "/dir"}, "/p", lambda p: files.get(p, b""))

    assert hooked == (path,)
    assert why("codex", {path: HOOKS}, hooked) == ""
    assert why("codex", {path: b"{}"}, hooked) == f"{path} no longer calls goalkeeper"
