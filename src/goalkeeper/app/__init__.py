"""The imperative shell: one function per use case takes ports and returns a result."""
