from intake.legacy import without_mark


def test_a_mark_is_dropped() -> None:
    assert without_mark("\ufeffabc") == "abc"


def test_a_text_without_a_mark_stays() -> None:
    assert without_mark("abc") == "abc"
