"""The work of a reading grows with the change, and not faster. Nothing is timed here."""

from __future__ import annotations

from goalkeeper.tamper.memory import forget_readings, remember


def test_a_text_is_read_once_however_many_texts_there_are() -> None:
    read: list[str] = []

    @remember(len)
    def take_note(text: str) -> str:
        read.append(text)
        return text

    texts = [f"file {number}" for number in range(1000)]
    for _ in range(3):
        for text in texts:
            assert take_note(text) == text

    assert read == texts


def test_what_was_forgotten_is_read_again() -> None:
    read: list[str] = []

    @remember(len)
    def take_note(text: str) -> str:
        read.append(text)
        return text

    take_note("a")
    forget_readings()
    take_note("a")

    assert read == ["a", "a"]
