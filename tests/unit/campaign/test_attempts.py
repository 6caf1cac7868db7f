"""How often a process of a campaign is tried again."""

from goalkeeper.campaign.attempts import MOST_DEATHS, MOST_FAILURES, MOST_FRUITLESS, Attempts

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


def test_deaths_are_counted_from_the_last_time_that_something_was_done() -> None:
    attempts = Attempts()

    for done in range(2 * MOST_FRUITLESS):
        attempts.count_end("S01", _KILLED, (done, "begun"))
    for _ in range(MOST_DEATHS - 1):
        assert not attempts.is_hopeless("S01")
        attempts.count_end("S01", _KILLED, (done, "begun"))

    assert attempts.is_hopeless("S01")


def test_who_begins_again_each_time_and_does_nothing_is_tried_longest() -> None:
    attempts = Attempts()

    for begun in range(MOST_FRUITLESS):
        assert not attempts.is_hopeless("S01")
        attempts.count_end("S01", _KILLED, ("nothing done", begun))

    assert attempts.is_hopeless("S01")
    assert "killed 100 times" in attempts.explain("S01")


def test_who_is_admitted_again_is_counted_anew() -> None:
    attempts = Attempts()
    for _ in range(MOST_DEATHS):
        attempts.count_end("S01", _KILLED)

    attempts.forget("S01")

    assert not attempts.is_hopeless("S01")
    assert not attempts.is_resting("S01")
