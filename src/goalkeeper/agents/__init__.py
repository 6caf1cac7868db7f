"""Coding agents: how each is started, watched, ended and understood."""
