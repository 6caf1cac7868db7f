"""The one way to git: trees, commits, worktrees, notes."""
