"""T35: commands that say nothing when they fail."""

from goalkeeper.core.claims.silent import is_silent
from tests.tables import for_each


@for_each(
    "command",
    [
        "curl -sf http://a",
        "curl -fs http://a",
        "/usr/bin/curl -s -f http://a",
        "curl -s http://a 2>/dev/null",
        "make health 2> /dev/null",
        "make health &>/dev/null",
        "make health >/dev/null 2>&1",
        "make health || true",
        "make health || :",
        "(make health; true)",
        "grep -q up status.txt",
        "grep -qi up status.txt",
        "grep --quiet up status.txt",
        "ssh -q host uptime",
        "wget -q http://a",
        "git fetch --quiet",
        "curl --silent http://a",
        "uptime && grep -q up status.txt",
    ],
)
def test_T35_a_command_that_hides_its_failure_is_silent(command: str) -> None:
    assert is_silent(command)


@for_each(
    "command",
    [
        "",
        "curl -i http://a",
        "curl -s http://a",
        "curl -sSf http://a",
        "curl --silent --show-error http://a",
        "grep up q.txt",
        "grep -i quiet status.txt",
        "ssh host uptime",
        "ping -c1 a",
        "make health >log 2>&1",
        "make true || echo down",
    ],
)
def test_T35_a_command_that_shows_it_is_not(command: str) -> None:
    assert not is_silent(command)
