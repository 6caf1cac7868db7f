"""Commands about the plan and its goals."""
