"""What could not be checked, for a reason that lies outside of the work, in a drive."""

import json

import pytest

from tests.e2e.drives import FIX, Driven, write
from tests.e2e.project import Contract, contract, criterion

BROKEN = "grep -q fixed product.txt || exit 1; "


def told(text: str, **more: object) -> Contract:
    return contract(criterion("C1", {"shell": BROKEN + text, **more}))


def test_a_tool_that_was_missing_once_costs_no_second_call_of_the_agent(driven: Driven) -> None:
    driven.ask(told(f"mkdir {driven.home}/once 2>/dev/null && exit 127; exit 0"))

    assert driven.drive({"G001": [FIX]}).reason == "done"

    assert driven.endings() == ["ok"]
    assert [each["iteration"] for each in driven.data("goal_judged")] == [1, 1]


@pytest.mark.thorough
def test_a_limit_that_stays_ends_the_drive_and_the_next_one_judges_first(driven: Driven) -> None:
    """A human has raised it in the contract: the settings of the base count for the whole run."""
    driven.write({".goalkeeper/config.toml": "[witness]\ntimeout = 1\n"})
    driven.ask(told("sleep 1.1"))

    full = driven.drive({"G001": [FIX]})
    assert (full.reason, full.code, full.next) == ("unknown", 5, driven.again)
    said = "timeout of the check, or else [witness] timeout in the base tree"
    assert full.detail == f"G001: C1: it hit the limit on time ({said})"
    assert ("not proven" in full.err, "G001: could not be checked" in full.err) == (False, True)
    assert "goalkeeper contract amend --file" in driven.run("why", "G001").out
    driven.write({"contract.json": json.dumps(told("sleep 1.1", timeout=60))})
    words = ("contract", "amend", "--file", "contract.json", "--reason", "it takes longer")
    driven.ok(*words, "--isolation", "checkout", env=driven.human())

    assert driven.drive({"G001": [FIX]}).reason == "done"
    assert driven.endings() == ["ok", "ok"]


def test_an_agent_hears_of_the_limit_that_its_work_hits(driven: Driven) -> None:
    driven.ask(told("test -e quick.txt || sleep 60", timeout=1))

    assert driven.drive({"G001": {"1": [FIX], "2": [write("quick.txt", "")]}}).reason == "done"

    assert "Seen by the witness: it hit the limit on time" in driven.prompt("G001/2/impl/1")


def test_rejudge_judges_before_an_agent_works(driven: Driven) -> None:
    driven.ask(told(f"test -e {driven.home}/mended"))
    driven.drive({"G001": [FIX]}, "--max-iterations", "1")
    (driven.home / "mended").touch()

    assert driven.drive({"G001": [FIX]}, "--rejudge").reason == "done"
    assert driven.endings() == ["ok"]
