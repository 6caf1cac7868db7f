"""What statements of before 2019 needed. Nobody sends them any more."""


def without_mark(text: str) -> str:
    return text.removeprefix("\ufeff")
