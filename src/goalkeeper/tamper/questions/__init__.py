"""Questions: calls of the product in tests, with literal inputs and a literal expected answer."""
