"""Recipes: how many they serve, and what they need."""

from fractions import Fraction

from larder.quantity import parse_quantity


class Recipe:
    def __init__(self, serves, needs):
        self.serves = serves
        self.needs = dict(needs)

    @classmethod
    def parse(cls, text):
        """Read a recipe: `serves N`, then `name: quantity` in each line."""
        first, *rest = [line.strip() for line in text.splitlines() if line.strip()]
        needs = {}
        for line in rest:
            name, _, amount = line.partition(":")
            needs[name.strip()] = parse_quantity(amount)
        return cls(int(first.removeprefix("serves")), needs)

    def scaled(self, serves):
        """Give the recipe for another number of people."""
        factor = Fraction(serves, self.serves)
        return Recipe(serves, {name: need.times(factor) for name, need in self.needs.items()})
