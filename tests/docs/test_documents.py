"""What the documents show is what happens."""

from __future__ import annotations

import re
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.tables import sampled
from tools import reference, transcripts

ROOT = Path(__file__).parents[2]


# `make demo` runs one of the others.
@pytest.mark.parametrize("name", sampled(transcripts.PAGES, one_in=len(transcripts.PAGES)))
def test_recorded_sessions_replay_word_for_word(name: str) -> None:
    page = (ROOT / name).read_text()

    assert transcripts.replayed(page) == page, "make reference records them anew"


def test_the_picture_shows_what_the_quickstart_does() -> None:
    picture = ET.parse(ROOT / "docs/picture.svg").getroot()
    shown = [each.text or "" for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    page = (ROOT / "docs/quickstart.md").read_text()

    assert len(shown) > 30
    assert "[q]uit? a" in "".join(shown)
    strange = [line for line in shown if line.removesuffix(" a") not in page]
    assert strange == [], "python -m tools.picture draws it anew"


def test_the_picture_of_a_campaign_has_a_row_of_every_kind_that_its_page_explains() -> None:
    picture = ET.parse(ROOT / "docs/campaign.svg").getroot()
    shown = ["".join(t.itertext()) for t in picture.iter("{http://www.w3.org/2000/svg}text")]
    page = (ROOT / "docs/campaigns.md").read_text()

    assert "(campaign.svg)" in page
    assert re.fullmatch(r"Campaign \d of 7 landed   3 at work   \$\S+ of 10   ~8 s left", shown[1])
    assert [line[:3] for line in shown[2:] if not line.startswith("S0")] == []
    for words in ("G001 impl 2/5", "in the queue, proving on ", "bounced: ", "waits for S"):
        assert words in page
        assert any(words in line for line in shown), "python -m tools.campaign_picture draws it"


def test_a_page_shows_every_command_of_a_plans_life() -> None:
    page = (ROOT / "docs/plan.md").read_text()
    shown = {line for line in page.splitlines() if "goalkeeper " in line and "$ " in line}

    for words in (
        "create-goals", "complete-goals", "--status failed", "--status blocked", "--retry-failed",
        "add_subgoal", "split_subgoal", "reorder_pending", "revise_pending_wording",
        "annotate_ledger", "mark_blocked_superseded", "record-review-blockers",
        "classify-blocker", "goal get", "goal create", "goal drop", "goal pause", "goal resume",
        "state clear", "state doctor", "state repair", "state handoff", "ledger verify",
        "ledger show",
    ):  # fmt: skip
        assert any(words in line for line in shown), words


def test_the_reference_is_what_the_code_says() -> None:
    for path, text in reference.pages().items():
        assert path.read_text() == text, "make reference writes it anew"


def test_every_setting_says_what_it_means_and_which_values_need_trust() -> None:
    page = (ROOT / "docs/reference/configuration.md").read_text()
    rows = [row.strip("| ").split(" | ") for row in re.findall(r"^\| `.*", page, re.MULTILINE)]
    trusted = {name.strip("`"): needed for name, _, _, needed, _ in rows}

    assert len(rows) > 20
    assert all(meaning for *_, meaning in rows)
    assert (trusted["setup"], trusted["isolation"]) == ("yes", "`none` · `checkout`")
    assert (trusted["protect"], trusted["cooldown"]) == ("`false`", "")


def test_every_link_between_documents_leads_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_promise_of_the_threat_model_has_its_test_beside_it() -> None:
    page = (ROOT / "docs/threat-model.md").read_text()
    tables = re.findall(
        r"^\| promise \| test \|\n\| --- \| --- \|\n((?:\|.*\n)+)", page, re.MULTILINE
    )
    rows = [row.strip("| ").split(" | ") for table in tables for row in table.splitlines()]
    sources = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    there = {*re.findall(r"^def (test_\w+)\(", sources, re.MULTILINE)}

    assert len(tables) == len(re.findall(r"^## (?!Who|What)", page, re.MULTILINE))
    assert len(rows) > 70
    for promise, *tests in rows:
        named = re.findall(r"`(\w+)`", " ".join(tests))
        assert named, promise
        assert {*named} <= there, promise


def test_places_that_contributors_are_sent_to_are_there() -> None:
    told = (ROOT / "CONTRIBUTING.md").read_text()
    places = set(re.findall(r"`([\w.-]+/[\w/.-]*)`", told))
    bases = ROOT, ROOT / "src/goalkeeper"

    lost = [place for place in places if not any((base / place).exists() for base in bases)]

    assert len(places) > 20
    assert lost == [], "CONTRIBUTING.md names places that are gone"


def test_the_way_down_is_drawn_as_it_is_held() -> None:
    drawn = re.search(r"^cli  →.*$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    held = [line for line in contracts["contracts"][0]["layers"] if "(" not in line]

    assert drawn
    assert drawn[0].split("  →  ") == held[1:], held
