"""Tests in languages that nobody here parses are spoilt by their literals."""

import re

from goalkeeper.tamper.spoiling.other import spoil_other

TEST = """\
int main(void)
{
	is(mode("a.sh"), 0755, "a mode");
	is(opened("a.sh", 0644, 1));
	is(add(0, 0), 0, "nothing");
	return 0;
}
"""


def test_no_choice_of_numbers_holds_by_chance() -> None:
    for seed in range(200):
        spoilt = spoil_other(TEST, str(seed), path="test.c")

        assert spoilt is not None
        (asked,) = re.findall(r"is\(add\((\d+), (\d+)\), (\d+),", spoilt.text)
        one, other, wanted = map(int, asked)
        assert wanted not in {one + other, one - other, one * other}


def test_every_choice_of_numbers_is_read_as_decimals_or_as_it_was() -> None:
    for seed in range(200):
        spoilt = spoil_other(TEST, str(seed), path="test.c")

        assert spoilt is not None
        numbers = re.findall(r"(?<=[ (])\d+(?=[,)])", spoilt.text)
        assert len(numbers) == 6
        assert [each for each in numbers if re.fullmatch(r"0\d+", each)] == ["0644"], seed
