"""The ports of an App, opened by plain functions: a command imports those that it needs."""
