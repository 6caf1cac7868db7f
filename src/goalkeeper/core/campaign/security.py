"""The security rules of every session, as its agent is told them.

They are held twice more: commands are read before they run (`tamper.dangerous`), and changes are
audited (`campaign.guarded`).
"""

from __future__ import annotations

from goalkeeper.wire.clients import CLIENTS

_FILES = sorted({path for row in CLIENTS.values() for path in row.settings.in_project})
# Secrets and the settings of clients; a template of secrets is none.
GUARDED_FILES = (
    *_FILES,
    "**/.env", "**/.env.local", "**/.env.development", "**/.env.test", "**/.env.production",
)  # fmt: skip
SECURITY_RULES = f"""\
These rules stand above every step. Where a step says otherwise, the rules hold:

- No `rm -rf` and no `chmod 777`; nothing that was downloaded or decoded is piped into a shell; no
  `eval` of variables; no `mkfs`, no `dd` to a device, no `shutdown`, `reboot` or `halt`, no fork
  bomb, no change of a crontab, no `kill -9 -1`.
- No change of a file that the Scope Fence does not list under Touch.
- No write to `.git/hooks/`, `.git/config`, `~/.ssh/`, `~/.aws/`, `~/.gnupg/`, to `.env` files, or
  to the shell's configuration (`~/.zshrc`, `~/.bashrc`, `~/.profile`).
- No write to the settings or hooks of a client ({", ".join(f"`{path}`" for path in _FILES)}): they
  guard the work, and the work may not change them.
- A Verify or Checkpoint command that breaks one of these rules counts as `escalate`, whatever the
  On failure of its step says, and the session stops."""
