"""The rehearsal agent."""
