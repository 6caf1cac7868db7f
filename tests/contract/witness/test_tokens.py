"""Few judgements run checks at the same time."""

import os
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread

from goalkeeper.witness.tokens import count_cores, hold_judging_token


def test_whoever_finds_no_token_waits_until_one_is_given_back(tmp_path: Path) -> None:
    place, entered = str(tmp_path / "tokens"), Event()

    def judge() -> None:
        with hold_judging_token(place):
            entered.set()

    with ExitStack() as others:
        for _ in range(max(1, count_cores() // 2)):
            others.enter_context(hold_judging_token(place))
        waiting = Thread(target=judge)
        waiting.start()
        assert not entered.wait(0.2)
    waiting.join()
    assert entered.is_set()


def test_a_token_of_a_process_that_died_is_free(tmp_path: Path) -> None:
    place = str(tmp_path / "tokens")
    for _ in range(count_cores()):
        child = os.fork()
        if not child:
            hold_judging_token(place).__enter__()
            os._exit(0)
        os.waitpid(child, 0)
    with hold_judging_token(place):
        assert len(os.listdir(place)) == max(1, count_cores() // 2)
