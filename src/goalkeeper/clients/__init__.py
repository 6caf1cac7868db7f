"""Coding agents: how each is started, watched, hooked and understood."""
