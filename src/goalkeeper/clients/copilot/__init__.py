"""GitHub Copilot CLI: how its sessions are held. goalkeeper does not drive it."""
