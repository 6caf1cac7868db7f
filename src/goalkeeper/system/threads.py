"""A function that runs beside its caller; `concurrent.futures` takes long to load."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from goalkeeper.system.reaper import become_subreaper

T = TypeVar("T")
_WAKE_SECONDS = 0.2


class SideThread(threading.Thread, Generic[T]):
    def __init__(self, function: Callable[[], T]) -> None:
        super().__init__()
        self._function = function
        self._error: BaseException | None = None
        self._over = threading.Event()
        become_subreaper()  # it handles signals only if the main thread is the first to call it
        self.start()

    def run(self) -> None:
        try:
            self._value = self._function()
        except BaseException as exc:  # noqa: BLE001  whoever waits raises it
            self._error = exc
        finally:
            self._over.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait for the end. After an interrupt `Thread.join` takes a running thread for ended.

        A signal that this thread takes wakes nobody, and is handled when its caller wakes.
        """
        if timeout is not None:
            self._over.wait(timeout)
            return
        while not self._over.wait(_WAKE_SECONDS):
            pass

    def is_over(self) -> bool:
        return self._over.is_set()

    def wait_for_result(self) -> T:
        """Return what the function returned, or raise what it raised."""
        self.join()
        if self._error:
            raise self._error
        return self._value
