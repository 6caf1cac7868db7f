from larder import Recipe


def test_scaled(pancakes):
    assert pancakes.scaled(6).needs["flour"].amount == 375


def test_all_is_missing_in_an_empty_larder(pantry, pancakes):
    assert pantry.missing(pancakes) == [("butter", "50 g"), ("flour", "250 g"), ("milk", "500 ml")]


def test_what_is_there_is_taken_off(pantry, pancakes):
    pantry.put("flour", "120 g")
    pantry.put("milk", "1 l")
    assert pantry.missing(pancakes) == [("butter", "50 g"), ("flour", "130 g")]


def test_other_units(pantry):
    pantry.put("milk", "1 cup")
    dough = Recipe.parse("serves 2\nmilk: 1.5 l\neggs: 3\n")
    assert pantry.missing(dough) == [("eggs", "3"), ("milk", "1.26 l")]


def test_for_more_people(pantry, pancakes):
    pantry.put("butter", "60 g")
    assert pantry.missing(pancakes.scaled(10)) == [
        ("butter", "65 g"),
        ("flour", "625 g"),
        ("milk", "1.25 l"),
    ]


class TestCanCook:
    def test_nothing_there(self, pantry, pancakes):
        assert pantry.can_cook(pancakes) is False

    def test_just_enough(self, pantry, pancakes):
        pantry.put("flour", "250 g")
        pantry.put("milk", "0.5 l")
        pantry.put("butter", "50 g")
        assert pantry.can_cook(pancakes) is True

    def test_one_is_short(self, pantry, pancakes):
        pantry.put("flour", "1 kg")
        pantry.put("milk", "499 ml")
        pantry.put("butter", "1 lb")
        assert pantry.can_cook(pancakes) is False
