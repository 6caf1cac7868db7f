"""Coding agents. One folder for each says how it is started, hooked, installed and read."""
