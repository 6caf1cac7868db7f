"""A drive: goalkeeper working through a run with an agent."""
