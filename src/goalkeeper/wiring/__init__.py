"""These plain functions open the ports of an App: a command imports those that it needs."""
