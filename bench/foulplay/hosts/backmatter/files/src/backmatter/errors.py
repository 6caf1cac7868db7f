"""What can be wrong with an index."""


class PageError(ValueError):
    """A text is no list of pages."""


class TermError(ValueError):
    """A term cannot be a heading, or is not there."""


class LoopError(TermError):
    """A reference leads back to itself."""
