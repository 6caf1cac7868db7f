"""Writes docs/reference/ from the code: the commands and the errors."""

from __future__ import annotations

from pathlib import Path

from goalkeeper import errors
from goalkeeper.cli.main import overview, parser_for
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.table import COMMANDS

REFERENCE = Path(__file__).parent.parent / "docs" / "reference"


def pages() -> dict[Path, str]:
    return {REFERENCE / "cli.md": _cli(), REFERENCE / "errors.md": _errors()}


def _cli() -> str:
    parts = ["# Commands\n\nWritten by `make reference`; do not edit.\n", _fenced(overview())]
    for name in COMMANDS:
        parser = parser_for(name)
        parts.append(f"## {name}\n\n{_fenced(parser.format_help())}")
        parts += [f"### {name} {verb}\n\n{_fenced(p.format_help())}" for verb, p in _verbs(parser)]
    return "\n".join(parts)


def _verbs(parser: Parser) -> list[tuple[str, Parser]]:
    return [] if parser.verbs is None else list(parser.verbs.choices.items())


def _errors() -> str:
    rows = ["| code | exit | what it says | next |", "| --- | --- | --- | --- |"]
    for error in _leaves(errors.GoalkeeperError):
        cells = [f"`{error.code}`", str(error.exit_code), error.__doc__ or "", error.hint]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return (
        "# Errors\n\nWritten by `make reference`; do not edit.\n\n"
        'With `--json` an error is `{"ok": false, "error": {"code", "message", "hint", '
        '"facts"}}`. A refusal has the same form and exit code 1; its code is the reason.\n\n'
        + "\n".join(rows)
        + "\n"
    )


def _leaves(error: type[errors.GoalkeeperError]) -> list[type[errors.GoalkeeperError]]:
    below = error.__subclasses__()
    own = [error] if error.code not in {"error", "config", "ledger", "outside", "busy"} else []
    return own + [leaf for child in below for leaf in _leaves(child)]


def _fenced(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n"


if __name__ == "__main__":
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for path, text in pages().items():
        path.write_text(text)
