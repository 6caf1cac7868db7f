"""Writes docs/reference/ from the code: commands, settings, errors, checks, rules."""

from __future__ import annotations

from pathlib import Path

from goalkeeper import config, errors
from goalkeeper.app import trust
from goalkeeper.campaign import roles
from goalkeeper.cli import review_trees
from goalkeeper.cli.main import overview, overview_for_agents
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.table import COMMANDS, load_module, parser_for
from goalkeeper.core.contract.check_kinds import CHECK_KINDS
from goalkeeper.core.schema import Field, RecordShape
from goalkeeper.loop import driver
from goalkeeper.tamper.catalog import Rule
from goalkeeper.witness import pool, variants
from goalkeeper.witness.rules import all_rules
from tests.fault.escapes import ESCAPES, TRIED_TOGETHER

REFERENCE = Path(__file__).parent.parent / "docs" / "reference"


def pages() -> dict[Path, str]:
    return {
        REFERENCE / "cli.md": _cli(),
        REFERENCE / "configuration.md": _configuration(),
        REFERENCE / "errors.md": _errors(),
        REFERENCE / "checks.md": _checks(),
        REFERENCE / "rules.md": _rules(),
        REFERENCE / "isolation.md": _isolation(),
    }


def _cli() -> str:
    parts = ["# Commands\n\nWritten by `make reference`; do not edit.\n"]
    parts += [_fenced(overview()), _fenced(overview_for_agents())]
    for name in COMMANDS:
        parser = parser_for(name)
        parts.append(f"## {name}\n\n{_fenced(parser.format_help())}")
        parts += [f"### {name} {verb}\n\n{_fenced(p.format_help())}" for verb, p in _verbs(parser)]
    return "\n".join(parts)


def _verbs(parser: Parser) -> list[tuple[str, Parser]]:
    return [] if parser.verbs is None else list(parser.verbs.choices.items())


def _configuration() -> str:
    intro = (
        "# Configuration\n\nWritten by `make reference`; do not edit.\n\n"
        "`goalkeeper init` writes `.goalkeeper/config.toml`; commit it. Every table and every key "
        "may be left out. What runs something or loosens something counts after you have "
        "confirmed it with `goalkeeper trust`, since the file also comes with clones "
        "([why](../witness.md#whose-settings-count)). A command is a list of words: "
        '`["make", "test"]`.\n'
    )
    parts = [intro]
    for table, shaped in config.TABLES.items():
        assert isinstance(shaped.shape, RecordShape)
        rows = [
            f"| `{key}` | {_shape(field)} | {_default(field)} | {_trust(table, key, field)} "
            f"| {field.help} |"
            for key, field in shaped.shape.fields.items()
        ]
        head = ["| key | | default | needs trust | |", "| --- | --- | --- | --- | --- |"]
        parts.append(f"## [{table}]\n\n{shaped.help}\n\n" + "\n".join([*head, *rows]) + "\n")
    return "\n".join(parts)


def _trust(table: str, key: str, field: Field) -> str:
    """Say which values need trust; where there are few, all are tried."""
    name = f"{table}.{key}"
    if name in trust.CEILINGS:
        return f"above {trust.CEILINGS[name]}"
    schema = field.shape.json_schema()
    values = [False, True] if schema.get("type") == "boolean" else schema.get("enum")
    if values is None:
        return "yes" if name in trust.RISKS else ""
    risky = [_write(each) for each in values if _is_risky(table, key, each)]
    return " · ".join(risky)


def _is_risky(table: str, key: str, value: object) -> bool:
    settings = config.parse_settings_table({table: {key: value}})
    assert isinstance(settings, config.Settings)
    return f"{table}.{key}" in trust.list_risky_parts(settings)


def _errors() -> str:
    rows = ["| code | exit | what it says | next |", "| --- | --- | --- | --- |"]
    # Some are defined beside what raises them; they must be loaded to be listed.
    for name in COMMANDS:
        load_module(name)
    apart = {
        pool.PoolFull,
        variants.BaseChanged,
        driver.DriveElsewhere,
        review_trees.NoPullRequest,
        roles.RoleUnusable,
    }
    assert apart <= set(errors.OutsideError.__subclasses__())
    ours = [e for e in _leaves(errors.GoalkeeperError) if e.__module__.startswith("goalkeeper.")]
    for error in sorted(ours, key=lambda each: (each.exit_code, each.code)):
        cells = [f"`{error.code}`", str(error.exit_code), error.__doc__ or "", error.hint]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return (
        "# Errors\n\nWritten by `make reference`; do not edit.\n\n"
        'With `--json` an error is `{"ok": false, "error": {"code", "message", "hint", '
        '"facts"}}`. A refusal has the same form and exit code 1; its code is the reason.\n\n'
        + "\n".join(rows)
        + "\n"
    )


def _checks() -> str:
    intro = (
        "# Kinds of check\n\nWritten by `make reference`; do not edit.\n\n"
        "A check is a mapping with one kind in it: `check: {command: [make, test], timeout: 60}`.\n"
        "Kinds that run a program also take `timeout` (seconds), `env` and `cwd`.\n"
    )
    parts = [intro]
    common = set(CHECK_KINDS["command"].options) & set(CHECK_KINDS["http"].options)
    for name, kind in CHECK_KINDS.items():
        rows = [
            f"| `{option}` | {_shape(field)} | {_default(field)} | {field.help} |"
            for option, field in kind.options.items()
            if option not in common
        ]
        head = ["| option | | default | |", "| --- | --- | --- | --- |"] if rows else []
        main = f"`{name}:` {_shape(Field(kind.main))}; {kind.help}.\n"
        parts.append(f"## {name}\n\n{main}\n" + "\n".join([*head, *rows]) + "\n" * bool(rows))
    return "\n".join(parts)


def _shape(field: Field) -> str:
    schema = field.shape.json_schema()
    if "anyOf" in schema:
        return "one or a list"
    if "enum" in schema:
        return " · ".join(filter(None, schema["enum"]))
    if schema.get("type") == "array":
        return "lists of words" if schema["items"].get("type") == "array" else "a list"
    kinds = {
        "string": "text", "integer": "a number", "number": "a number", "object": "a mapping",
        "boolean": "true · false",
    }  # fmt: skip
    regex = schema.get("format") == "regex"
    return "a regular expression" if regex else kinds.get(schema.get("type", ""), "any value")


def _default(field: Field) -> str:
    if field.required:
        return "required"
    return "" if field.default in (None, "", (), {}) else _write(field.default)


def _write(value: object) -> str:
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _rules() -> str:
    intro = (
        "# Rules of the audit\n\nWritten by `make reference`; do not edit.\n\n"
        "A blocking finding closes the gate; an advisory one is for the reviewer. "
        "`goalkeeper explain RULE` prints one of these.\n"
    )
    parts = [intro]
    rules = all_rules().values()
    for family in dict.fromkeys(rule.family for rule in rules):
        parts.append(f"## {family[0].upper()}{family[1:]}\n")
        parts += [_rule(rule) for rule in rules if rule.family == family]
    return "\n".join(parts)


def _rule(rule: Rule) -> str:
    language = "diff" if rule.example.startswith("---") else "text"
    example = f"```{language}\n{rule.example.rstrip()}\n```\n"
    return (
        f"### {rule.id}\n\n*{rule.level}.* {rule.summary} {rule.why}\n\n{example}\n"
        f"What to do: {rule.mend}\n"
    )


def _isolation() -> str:
    rows = ["| a check that… | `checkout` | `sandbox` |", "| --- | --- | --- |"]
    for escape in (*ESCAPES, *TRIED_TOGETHER):
        cells = [f"{'stopped' if m.stopped else '**not stopped**'}: {m.how}" for m in escape[1:]]
        rows.append(f"| {escape.name} | {' | '.join(cells)} |")
    return (
        "# What isolation stops\n\nWritten by `make reference`; do not edit. "
        "`tests/fault/test_escapes.py` and `test_tries.py` try each row for real, with HOME as the "
        "account has it, with another one and with none.\n\n" + "\n".join(rows) + "\n"
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
