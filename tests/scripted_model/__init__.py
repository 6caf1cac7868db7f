"""A model that follows a script, served on loopback: real clients run against it, offline."""
