"""How often a process of a campaign is tried again."""

from goalkeeper.campaign.attempts import MOST_DEATHS, MOST_DEATHS_IN_ALL, MOST_FAILURES, Attempts
from goalkeeper.errors import TryAgain

_KILLED = -9


def test_a_process_that_ends_by_itself_is_tried_a_few_times() -> None:
    attempts = Attempts()

    for _ in range(MOST_FAILURES):
        assert not attempts.is_hopeless("S01")
        attempts.count_end("S01", 1)

    assert attempts.is_hopeless("S01")
    assert attempts.explain("S01") == "its process ended without a result"
    assert not attempts.is_hopeless("S02")


def test_a_process_that_is_killed_is_tried_long_and_not_for_ever() -> None:
    attempts = Attempts()

    for _ in range(MOST_DEATHS):
        assert not attempts.is_hopeless("S01")
        attempts.count_end("S01", _KILLED, ("nothing done", "nothing begun"))
        assert attempts.is_resting("S01")

    assert attempts.is_hopeless("S01")
    assert "killed 20 times, and nothing was done in between" in attempts.explain("S01")


def test_a_process_whose_git_was_killed_or_that_met_a_lock_is_not_to_blame() -> None:
    attempts = Attempts()

    for _ in range(MOST_FAILURES):
        attempts.count_end("S01", TryAgain.exit_code)

    assert not attempts.is_hopeless("S01")
    assert attempts.is_resting("S01")


def test_deaths_are_counted_from_the_last_record_and_in_all() -> None:
    attempts = Attempts()

    for done in range(MOST_DEATHS_IN_ALL):
        assert not attempts.is_hopeless("S01")
        attempts.count_end("S01", _KILLED, (done, "begun"))

    assert attempts.is_hopeless("S01")
    assert attempts.explain("S01") == "its process was killed 40 times in all"


def test_who_is_admitted_again_is_counted_anew() -> None:
    attempts = Attempts()
    for _ in range(MOST_DEATHS):
        attempts.count_end("S01", _KILLED)

    attempts.forget("S01")

    assert not attempts.is_hopeless("S01")
    assert not attempts.is_resting("S01")
