"""What is in the larder."""

from larder.quantity import Quantity, format_quantity, parse_quantity


class Pantry:
    def __init__(self):
        self._stock = {}

    def put(self, name, text):
        """Put something in; what is there already is added to."""
        new = parse_quantity(text)
        old = self._stock.get(name)
        if old is not None:
            new = type(new)(old.amount + new.amount, new.unit)
        self._stock[name] = new

    def names(self):
        return sorted(self._stock)

    def amount(self, name):
        return self._stock[name]

    def missing(self, recipe):
        """Tell what must be bought for a recipe: names with formatted quantities, sorted."""
        found = []
        for name, need in sorted(recipe.needs.items()):
            have = self._stock.get(name)
            short = need.amount - (have.amount if have and have.unit == need.unit else 0)
            if short > 0:
                found.append((name, format_quantity(Quantity(short, need.unit))))
        return found

    def can_cook(self, recipe):
        """Tell whether all is there."""
        return not self.missing(recipe)
