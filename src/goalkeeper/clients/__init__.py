"""Coding agents. A folder of each says how it is started, hooked, installed and understood."""
