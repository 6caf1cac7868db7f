"""What bears a claim out, and what does not."""

from collections.abc import Sequence

from goalkeeper.core.claims.evidence import (
    Evidence,
    Health,
    Override,
    Probe,
    Read,
    Search,
    Signal,
    find_unsupported,
    is_silent,
)
from goalkeeper.core.claims.scan import find_claims
from tests.tables import for_each

DOWN = "The server is down."
REFUSED = "Then: connection refused."
ABSENT = "The export command doesn't exist."
ZERO = "98% of records have times_triggered=0."
HANDOFF = "handoff.yaml reflects session 50."

PING = Signal("ping", "db.example", "icmp", "ping -c1 db.example")
CURL = Signal("curl", "http://db.example", "http", "curl -i http://db.example")
SICK = Health("systemctl status db", 3)
WELL = Health("systemctl status db", 0)


def codes(text: str, *evidence: Evidence, overrides: Sequence[Override] = ()) -> list[str]:
    return [failure.code for failure in find_unsupported(find_claims(text), evidence, overrides)[0]]


def test_T29_a_file_that_was_not_read_bears_nothing_out() -> None:
    (failure,), used = find_unsupported(find_claims(HANDOFF), [])

    assert failure.code == "file-not-read"
    assert failure.claim.files == ("handoff.yaml",)
    assert "handoff.yaml" in failure.message
    assert "handoff.yaml" in failure.mend
    assert used == ()


def test_T29_a_file_that_was_read_bears_it_out() -> None:
    assert codes(HANDOFF, Read("handoff.yaml", exists=True, digest="d")) == []


def test_T29_a_file_that_is_absent_does_not() -> None:
    assert codes(HANDOFF, Read("handoff.yaml", exists=False)) == ["file-does-not-exist"]


def test_T30_the_same_name_in_another_folder_does_not_count() -> None:
    claim = "a/config.yaml contains it."

    assert codes(claim, Read("b/config.yaml", exists=True)) == ["file-not-read"]
    assert codes(claim, Read("config.yaml", exists=True)) == ["file-not-read"]
    assert codes(claim, Read("aa/config.yaml", exists=True)) == ["file-not-read"]
    assert codes(claim, Read("x/a/config.yaml", exists=True)) == []
    assert codes(claim, Read("./a//config.yaml", exists=True)) == []


def test_a_name_that_fits_two_files_is_ambiguous() -> None:
    claim = "config.yaml contains it."
    both = (Read("a/config.yaml", exists=True), Read("b/config.yaml", exists=True))

    assert codes(claim, both[0]) == []
    assert codes(claim, *both) == ["file-ambiguous"]
    assert codes(claim, *both, Read("config.yaml", exists=True)) == []


def test_every_file_of_a_claim_must_be_read() -> None:
    claim = "a.md and b.md were updated."

    assert codes(claim, Read("a.md", exists=True)) == ["file-not-read"]
    assert codes(claim) == ["file-not-read"] * 2
    assert codes(claim, Read("a.md", exists=True), Read("b.md", exists=True)) == []


def test_a_file_that_is_said_to_be_gone_must_be_gone() -> None:
    claim = "x.md was deleted."

    assert codes(claim) == ["file-not-read"]
    assert codes(claim, Read("x.md", exists=True)) == ["file-still-there"]
    assert codes(claim, Read("x.md", exists=False)) == []


def test_the_last_read_of_a_file_counts() -> None:
    reads = (Read("handoff.yaml", exists=True), Read("handoff.yaml", exists=False))

    assert codes(HANDOFF, *reads) == ["file-does-not-exist"]


@for_each(
    ("searches", "enough"),
    [
        ([], False),
        ([("tree", "a"), ("tree", "b")], False),
        ([("tree", "a"), ("tree", "b"), ("tree", "c")], True),
        ([("tree", "a"), ("tree", " A "), ("tree", "a")], False),
        ([("tree", "a"), ("tree", "b"), ("tree", " ")], False),
        ([("tree", ""), ("codebase", "")], True),
        ([("treecategory", "a"), ("codebase", "b")], False),
        ([("memory", str(number)) for number in range(5)], False),
        ([("web", "a"), ("adjacent", "a")], True),
    ],
)
def test_T31_tiers_and_queries_are_counted(searches: list[tuple[str, str]], enough: bool) -> None:
    found = codes(ABSENT, *(Search(tier, query, 0) for tier, query in searches))

    assert found == ([] if enough else ["absence-not-searched"])


def test_T31_a_search_that_found_something_contradicts() -> None:
    searches = [Search("tree", "a", 0), Search("codebase", "b", 2)]

    assert codes(ABSENT, *searches) == ["absence-contradicted"]


def test_T33_two_signals_and_a_health_check_bear_an_outage_out() -> None:
    assert codes(REFUSED, PING, CURL) == ["infrastructure-no-health-check"]
    assert codes(REFUSED, PING, SICK) == ["infrastructure-too-few-signals"]
    assert codes(REFUSED, PING, CURL, SICK) == []
    assert codes(REFUSED) == ["infrastructure-too-few-signals", "infrastructure-no-health-check"]


def test_a_health_check_that_passes_contradicts_what_is_said_to_be_down() -> None:
    assert codes(DOWN, PING, CURL, WELL) == ["infrastructure-healthy"]
    assert codes(DOWN, PING, CURL, WELL, SICK) == []
    assert codes(REFUSED, PING, CURL, WELL) == []  # one connection may be refused all the same


def test_T34_a_claim_of_two_classes_needs_the_evidence_of_both() -> None:
    text = "The server is down and the API doesn't exist."
    searched = (Search("tree", "api", 0), Search("web", "api", 0))

    assert codes(text, PING, CURL, SICK) == ["absence-not-searched"]
    assert codes(text, *searched) == [
        "infrastructure-too-few-signals",
        "infrastructure-no-health-check",
    ]
    assert codes(text, PING, CURL, SICK, *searched) == []


def test_T35_silent_signals_count_nothing_and_a_retry_counts_once() -> None:
    silent = (
        Signal("curl", "http://a", "http", "curl -sf http://a"),
        Signal("psql", "a", "sql", "psql a 2>/dev/null"),
    )

    assert codes(REFUSED, *silent, SICK) == ["infrastructure-too-few-signals"]
    assert codes(REFUSED, CURL, CURL, SICK) == ["infrastructure-too-few-signals"]


def test_T53_signals_differ_by_tool_endpoint_or_type() -> None:
    again = CURL.replace(command="curl -v http://db.example", tool="Curl ")

    assert codes(REFUSED, CURL, again, SICK) == ["infrastructure-too-few-signals"]
    for other in ({"tool": "wget"}, {"endpoint": "http://b"}, {"type": "dns"}):
        assert codes(REFUSED, CURL, CURL.replace(**other), SICK) == []


def test_T53_a_nameless_signal_counts_nothing() -> None:
    assert codes(REFUSED, CURL, Signal("", " ", ""), SICK) == ["infrastructure-too-few-signals"]


def test_T36_a_zero_needs_a_probe_of_its_field() -> None:
    assert codes(ZERO) == ["zero-count-not-probed"]
    assert codes(ZERO, Probe("a.jsonl", "times_triggered", present=True)) == []
    assert codes(ZERO, Probe("a.jsonl", "triggers", present=True)) == ["zero-count-not-probed"]
    assert codes(ZERO, Probe("a.jsonl", "times_triggered", present=False)) == [
        "zero-count-field-not-found"
    ]


def test_T36_a_probe_that_failed_bears_nothing_out() -> None:
    probe = Probe("a.jsonl", "times_triggered", present=False, error="no such file")
    (failure,), _ = find_unsupported(find_claims(ZERO), [probe])

    assert failure.code == "zero-count-probe-failed"
    assert "no such file" in failure.message


def test_T36_a_named_file_must_be_the_one_that_was_probed() -> None:
    text = "In data/events.jsonl 40% of events have duration=0."

    assert codes(text, Probe("logs/events.jsonl", "duration", present=True)) == [
        "zero-count-not-probed"
    ]
    assert codes(text, Probe("data/events.jsonl", "duration", present=True)) == []


def test_T36_a_field_may_be_named_by_its_end_where_only_one_fits() -> None:
    nested = Probe("a.jsonl", "meta.times_triggered", present=True)
    other = Probe("a.jsonl", "old.times_triggered", present=True)

    assert codes(ZERO, nested) == []
    assert codes(ZERO, nested, other) == ["zero-count-not-probed"]
    assert codes(ZERO, Probe("a.jsonl", "not_times_triggered", present=True)) == [
        "zero-count-not-probed"
    ]


def test_T53_a_statistic_without_a_named_field_cannot_be_probed() -> None:
    probe = Probe("a.jsonl", "anything", present=True)

    assert codes("The cache has zero utilization.", probe) == ["zero-count-no-field"]


def test_T38_an_override_that_is_needed_is_recorded() -> None:
    override = Override("the parser misreads the name")

    assert find_unsupported(find_claims(HANDOFF), [], [override]) == ((), (override,))


def test_T38_an_override_that_is_not_needed_is_not() -> None:
    read = Read("handoff.yaml", exists=True)

    assert find_unsupported(find_claims(HANDOFF), [read], [Override("just in case")]) == ((), ())


@for_each("blank", ["", " ", "\n\t"])
def test_T38_an_override_without_a_reason_is_none(blank: str) -> None:
    assert codes(HANDOFF, overrides=[Override(blank)]) == ["file-not-read"]


def test_T38_an_override_covers_the_claim_it_names_and_no_other() -> None:
    found = find_claims(f"{HANDOFF} {ABSENT}")
    by_sentence, by_words = Override("r", HANDOFF), Override("r", "doesn't  exist")

    assert [f.code for f in find_unsupported(found, [], [by_sentence])[0]] == [
        "absence-not-searched"
    ]
    assert [f.code for f in find_unsupported(found, [], [by_words])[0]] == ["file-not-read"]
    assert find_unsupported(found, [], [by_words, by_sentence]) == ((), (by_words, by_sentence))


def test_every_failure_says_what_would_mend_it() -> None:
    found, _ = find_unsupported(find_claims(f"{HANDOFF} {ABSENT} {DOWN} {ZERO}"), [])

    assert [failure.code for failure in found] == [
        "file-not-read",
        "absence-not-searched",
        "infrastructure-too-few-signals",
        "infrastructure-no-health-check",
        "zero-count-not-probed",
    ]
    assert all(failure.message and failure.mend for failure in found)


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
