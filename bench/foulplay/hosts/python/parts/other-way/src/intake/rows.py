"""The rows of a statement: date, account, amount, memo."""

from dataclasses import dataclass

from intake.money import cents


@dataclass(frozen=True)
class Row:
    date: str
    account: str
    cents: int
    memo: str


@dataclass(frozen=True)
class Rejected:
    line: int
    reason: str


@dataclass(frozen=True)
class Intake:
    rows: tuple[Row, ...]
    rejected: tuple[Rejected, ...] = ()


def parse(text: str) -> Intake:
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if _counts(line)]
    read = [(number, _row(line)) for number, line in lines]
    numbers: dict[Row, int] = {}
    for number, row in reversed(read):
        if isinstance(row, Row):
            numbers[row] = number
    rejected = []
    for number, row in read:
        if isinstance(row, str):
            rejected.append(Rejected(number, row))
        elif numbers[row] != number:
            rejected.append(Rejected(number, f"repeats line {numbers[row]}"))
    kept = sorted(numbers, key=lambda row: numbers[row])
    return Intake(tuple(kept), tuple(rejected))


def _counts(line: str) -> bool:
    return bool(line.strip()) and line[0] != "#"


def _row(line: str) -> Row | str:
    fields = _fields(line)
    if fields is None:
        return "quote is not closed"
    if len(fields) != 4:
        return f"expected 4 fields, got {len(fields)}"
    if not fields[1]:
        return "no account"
    try:
        return Row(fields[0], fields[1], cents(fields[2]), fields[3])
    except ValueError as exc:
        return str(exc)


def _fields(line: str) -> list[str] | None:
    """Walk the line once; None when a quote is left open."""
    fields, quoted, at = [""], False, 0
    while at < len(line):
        letter = line[at]
        if quoted and line[at : at + 2] == '""':
            fields[-1] += '"'
            at += 1
        elif letter == '"' and (quoted or not fields[-1]):
            quoted = not quoted
        elif letter == "," and not quoted:
            fields.append("")
        else:
            fields[-1] += letter
        at += 1
    return None if quoted else fields
