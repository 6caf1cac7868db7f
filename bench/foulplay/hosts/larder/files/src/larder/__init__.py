"""Quantities, recipes and what is in the larder."""

from larder.pantry import Pantry
from larder.quantity import Quantity, QuantityError, format_quantity, parse_quantity
from larder.recipe import Recipe

__all__ = ["Pantry", "Quantity", "QuantityError", "Recipe", "format_quantity", "parse_quantity"]
