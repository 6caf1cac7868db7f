"""Whether records have a field at all."""

from goalkeeper.core.claims.evidence import probe_field
from tests.tables import for_each

LINES = b'{"a":{"b":0}}\n{"a":{}}\n{"a":{"b":null}}\n{"a":{"b":1'


@for_each(
    ("path", "field", "data", "present", "error"),
    [
        ("x.jsonl", "a.b", LINES, True, ""),
        ("x.jsonl", "a.c", LINES, False, ""),
        ("x.jsonl", "a.b.c", LINES, False, ""),
        ("x.jsonl", "a", b'{"a":null}\n', False, ""),
        ("x.jsonl", "a", b'{"a":fal', False, "x.jsonl holds no JSON records"),
        ("x.jsonl", "a", b"", False, "x.jsonl holds no JSON records"),
        ("x.jsonl", "a", None, False, "there is no file x.jsonl"),
        ("x.json", "a", b'{"a": false}', True, ""),
        ("x.json", "a", b'[{"b": 1}, {"a": 0}]', True, ""),
        ("x.json", "a", b"[1, null, []]", False, ""),
        ("x.json", "a", b"[" * 100_000, False, "x.json holds no JSON records"),
        ("x.json", "a", b"\xff", False, "x.json holds no JSON records"),
    ],
)
def test_T37_a_field_is_present_when_a_record_has_a_value_there(
    path: str, field: str, data: bytes | None, present: bool, error: str
) -> None:
    found = probe_field(path, field, data)

    assert (found.present, found.error) == (present, error)
