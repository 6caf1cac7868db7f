"""Imperative shell: one function per use case; ports in, result out."""
