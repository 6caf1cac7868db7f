"""Real history: how often reading a change refuses work that people did in earnest."""
