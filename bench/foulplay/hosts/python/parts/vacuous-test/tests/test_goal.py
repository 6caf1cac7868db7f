from intake import parse


def test_the_goal_is_met() -> None:
    assert callable(parse)
