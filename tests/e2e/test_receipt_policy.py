"""Policies: what those who verify demand, told line by line, by everybody who verifies."""

from typing import Any

import pytest

from tests.e2e.receipts import HOLDS, LANE, Desk, envelope, name_of, refused
from tests.tables import for_each, sampled

STRANGE = "0" * 64
REPORTED = {**LANE, "role": "critic", "trust": "reported"}


def for_all(predicate: dict[str, Any], *lanes: dict[str, str]) -> list[dict[str, str]]:
    """These lanes, of every goal."""
    return [{**lane, "goal": goal["id"]} for goal in predicate["goals"] for lane in lanes]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk.at(tmp_path_factory.mktemp("desk"))


MET = (
    'kind = "final"',
    'gate = "standard"',
    'isolation = "checkout"',
    'isolation = "none"',
    'contract_by = ["human", "agent"]',
    "let_stand_by = []",
    "max_age_days = 0.5",
    "# said twice\nmax_age_days = 30\nkind = 'final'",
)
VIOLATED = {
    'kind = "goal"': "other-kind",
    'gate = "strict"': "gate-too-weak",
    'isolation = "sandbox"': "isolation-too-weak",
    f'keys = ["{STRANGE}"]': "key-not-in-policy",
    'contract_by = ["examiner"]': "contract-by-another",
    'independent = ["architect"]': "lane-not-independent",
    "max_age_days = 0.0000000001": "too-old",
}
INVALID = {
    "least_isolation = 'none'": 1,
    "Kind = 'final'": 1,
    "kind = 'best'": 1,
    "kind = ['final']": 1,
    "gate = true": 1,
    "isolation = 2": 1,
    "isolation = ''": 1,
    "keys = 'abc'": 1,
    "keys = []": 1,
    "keys = ['abc']": 1,
    f"keys = ['{STRANGE}', 1]": 1,
    "contract_by = ['nobody']": 1,
    "let_stand_by = 'human'": 1,
    "let_stand_by = ['nobody']": 1,
    "independent = 'architect'": 1,
    "independent = []": 1,
    "independent = ['']": 1,
    "max_age_days = 0": 1,
    "max_age_days = -1": 1,
    "max_age_days = nan": 1,
    "max_age_days = inf": 1,
    "max_age_days = true": 1,
    "max_age_days = '30'": 1,
    "[kind]\nfinal = true": 1,
    "kind = 'final'\nkind = 'goal'": 1,
    "kind = final": 1,
    "# nothing": 1,
    "note = 1\nkind = 'best'\nkeys = []\nmax_age_days = 0": 4,
    "kind = 'final' #" + "x" * (64 << 10): 1,
}


@for_each("policy", MET)
def test_what_meets_a_policy_holds(desk: Desk, policy: str) -> None:
    assert desk.stranger.by_all(desk.final, desk.trusted, policy=policy) == HOLDS


@for_each("policy", VIOLATED)
def test_a_line_that_is_not_met_is_a_reason_of_its_own(desk: Desk, policy: str) -> None:
    told = desk.stranger.by_all(desk.final, desk.trusted, policy=policy)

    assert told == refused(VIOLATED[policy])


def test_every_line_that_is_not_met_is_told(desk: Desk) -> None:
    told = desk.stranger.by_all(desk.final, desk.trusted, policy="\n".join(VIOLATED))

    kind, gate, level, *others = VIOLATED.values()
    assert told == refused(kind, level, gate, *others)


def test_a_receipt_of_the_first_version_names_no_author(desk: Desk) -> None:
    def forget(_: object, predicate: dict[str, Any]) -> None:
        del predicate["author"]
        for goal in predicate["goals"]:
            del goal["contractBy"]

    given = envelope(desk.told(forget), desk.theirs)

    assert desk.stranger.by_all(given, desk.trusted) == HOLDS
    told = desk.stranger.by_all(given, desk.trusted, policy='contract_by = ["human"]')
    assert told == refused("contract-by-another")


def test_a_policy_says_whose_word_lets_findings_stand(desk: Desk) -> None:
    stands = {"rule": "test-vanished", "level": "asking", "path": "", "line": 0,
              "message": "C1: a is gone", "by": "agent", "reason": "it is another"}  # fmt: skip

    def ruling(policy: str, **changes: object) -> tuple[int, list[str]]:
        found = [{**stands, **changes}]
        payload = desk.told(lambda _, p: p["goals"][0].update(letStand=found))
        return desk.stranger.by_all(envelope(payload, desk.theirs), desk.trusted, policy=policy)

    assert ruling('kind = "final"') == HOLDS
    assert ruling('let_stand_by = ["human", "agent"]') == HOLDS
    assert ruling('let_stand_by = ["human"]', by="human") == HOLDS
    assert ruling('let_stand_by = ["human"]') == refused("let-stand-by-another")
    assert ruling("let_stand_by = []", by="human") == refused("let-stand-by-another")
    assert ruling('let_stand_by = ["human"]', by=1) == refused("malformed")
    assert ruling('let_stand_by = ["human"]', more="") == refused("malformed")


def test_each_lane_that_is_missing_or_only_reported_is_told(desk: Desk) -> None:
    payload = desk.told(lambda _, p: p.update(lanes=for_all(p, LANE, REPORTED)))
    given = envelope(payload, desk.theirs)

    def ruling(*roles: str) -> tuple[int, list[str]]:
        return desk.stranger.by_all(given, desk.trusted, policy=f"independent = {[*roles]}")

    assert ruling("architect") == HOLDS
    assert ruling("architect", "critic", "qa") == refused(*["lane-not-independent"] * 2)


def test_a_role_of_which_one_lane_is_only_reported_is_not_independent(desk: Desk) -> None:
    payload = desk.told(
        lambda _, p: p.update(lanes=for_all(p, LANE, {**LANE, "trust": "reported"}))
    )
    policy = "independent = ['architect']"

    told = desk.stranger.by_all(envelope(payload, desk.theirs), desk.trusted, policy=policy)

    assert told == refused("lane-not-independent")


def test_one_signature_by_a_key_of_the_policy_is_enough_if_the_key_is_there(desk: Desk) -> None:
    countersigned = envelope(desk.payload, desk.mine, desk.theirs)
    policy = f"keys = ['{STRANGE}', '{name_of(desk.theirs)}']"
    mine = f"keys = ['{name_of(desk.mine)}']"

    assert desk.stranger.by_all(countersigned, desk.trusted, policy=policy) == HOLDS
    told = desk.stranger.by_all(countersigned, desk.trusted, policy=mine)
    assert told == refused("key-not-in-policy")


def test_a_strict_gate_meets_a_policy_for_a_standard_one(desk: Desk) -> None:
    given = envelope(desk.told(lambda _, p: p["gate"].update(kind="strict")), desk.theirs)

    for kind in ("standard", "strict"):
        assert desk.stranger.by_all(given, desk.trusted, policy=f"gate = '{kind}'") == HOLDS


def test_flags_and_policy_are_both_obeyed_and_told_once(desk: Desk) -> None:
    flags = ("--kind", "goal", "--isolation", "sandbox")
    policy = "kind = 'goal'\nisolation = 'sandbox'"

    told = desk.stranger.by_all(desk.final, desk.trusted, *flags, policy=policy)

    assert told == refused("other-kind", "isolation-too-weak")
    weaker = desk.stranger.by_all(desk.final, desk.trusted, *flags, policy="kind = 'final'")
    assert weaker == refused("other-kind", "isolation-too-weak")


@pytest.mark.parametrize("policy", sampled(INVALID, one_in=4), ids=range(len(INVALID)))
def test_a_policy_that_is_none_lets_nothing_through(desk: Desk, policy: str) -> None:
    told = desk.stranger.by_all(desk.final, desk.trusted, policy=policy)

    assert told == refused(*["policy-invalid"] * INVALID[policy])


def test_what_is_forged_is_told_before_what_a_policy_demands(desk: Desk) -> None:
    forged = envelope(desk.payload, desk.mine)

    told = desk.stranger.by_all(forged, desk.trusted, policy="\n".join(VIOLATED))

    assert told == refused("wrong-key")


def test_a_policy_that_cannot_be_read_is_wrong_usage(desk: Desk) -> None:
    named = ("--policy", "no-such.toml")

    for by in (desk.stranger.by_goalkeeper, desk.stranger.by_command):
        assert by(desk.final, desk.trusted, *named).code == 2
    (desk.stranger.clone / "policy.toml").write_bytes(b"")
    given = ("--policy", "policy.toml")
    for by in (desk.stranger.by_goalkeeper, desk.stranger.by_command):
        assert by(desk.final, desk.trusted, *given).brief == refused("policy-invalid")
