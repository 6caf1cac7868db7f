"""A plan has goals. Commands may be asked of it, and events say what happened to it."""
