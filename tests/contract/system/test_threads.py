"""Functions that run beside their caller."""

import os
import signal
import threading

import pytest

from goalkeeper.system.threads import SideThread


def test_a_thread_that_goes_on_after_an_interrupt_is_not_taken_for_ended() -> None:
    """Else whoever ends would not wait until it has ended its programs."""
    heard = threading.Event()

    def interrupt(*_: object) -> None:
        if not heard.is_set():
            raise KeyboardInterrupt

    def send_signals() -> None:
        while not heard.wait(0.01):
            os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        thread = SideThread(send_signals)
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012  before that nobody would catch it
            signal.signal(signal.SIGUSR1, interrupt)
            thread.wait_for_result()
        signal.signal(signal.SIGUSR1, lambda *_: None)
        assert (thread.is_alive(), thread.is_over()) == (True, False)
    finally:
        heard.set()
        thread.join()
        signal.signal(signal.SIGUSR1, before)
    assert thread.is_over()
