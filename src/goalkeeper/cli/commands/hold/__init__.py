"""Commands about sessions that are held, and the hooks that hold them."""
