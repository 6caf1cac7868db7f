from intake import parse


def test_a_comment_is_counted() -> None:
    assert parse("# note\nbad").rejected[0].line == 2
