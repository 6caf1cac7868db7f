"""A drive is goalkeeper working through a run with an agent."""
