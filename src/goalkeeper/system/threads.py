"""A function that runs beside its caller; `concurrent.futures` takes long to load."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from goalkeeper.system.reaper import become_subreaper

T = TypeVar("T")


class SideThread(threading.Thread, Generic[T]):
    def __init__(self, function: Callable[[], T]) -> None:
        super().__init__()
        self._function = function
        self._error: BaseException | None = None
        become_subreaper()  # it handles signals only if the main thread is the first to call it
        self.start()

    def run(self) -> None:
        try:
            self._value = self._function()
        except BaseException as exc:  # noqa: BLE001  whoever waits raises it
            self._error = exc

    def wait_for_result(self) -> T:
        """Return what the function returned, or raise what it raised."""
        self.join()
        if self._error:
            raise self._error
        return self._value
