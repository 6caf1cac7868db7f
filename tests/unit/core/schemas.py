"""As much of JSON Schema as ours needs, so that the tests can ask it."""

import re
from typing import Any

Schema = dict[str, Any]

# Every word our schemas use, and those that say nothing about a value.
KNOWN = {
    "type", "enum", "pattern", "minimum", "maximum", "items", "minItems", "maxItems",
    "properties",
    "required", "additionalProperties", "anyOf", "oneOf",
}  # fmt: skip
SILENT = {"$schema", "title", "description", "format"}
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


def fits(value: Any, schema: Schema) -> bool:  # noqa: ANN401
    unknown = set(schema) - KNOWN - SILENT
    assert not unknown, unknown
    return (
        _is(value, schema)
        and ("enum" not in schema or value in schema["enum"])
        and _in_bounds(value, schema)
        and _parts_fit(value, schema)
        and ("anyOf" not in schema or any(fits(value, each) for each in schema["anyOf"]))
        and ("oneOf" not in schema or sum(fits(value, each) for each in schema["oneOf"]) == 1)
    )


def _is(value: object, schema: Schema) -> bool:
    wanted = schema.get("type")
    if wanted is None:
        return True
    return isinstance(value, TYPES[wanted]) and isinstance(value, bool) is (wanted == "boolean")


def _in_bounds(value: object, schema: Schema) -> bool:
    if isinstance(value, str):
        return "pattern" not in schema or re.search(schema["pattern"], value) is not None
    if isinstance(value, int | float):
        least, most = schema.get("minimum", value), schema.get("maximum", value)
        return bool(least <= value <= most)
    if not isinstance(value, list):
        return True
    most = schema.get("maxItems", len(value))
    return bool(schema.get("minItems", 0) <= len(value) <= most)


def _parts_fit(value: object, schema: Schema) -> bool:
    if isinstance(value, list):
        return all(fits(item, schema.get("items", {})) for item in value)
    if not isinstance(value, dict):
        return True
    named = schema.get("properties", {})
    others = schema.get("additionalProperties", {})
    return set(schema.get("required", ())) <= set(value) and all(
        fits(item, named[name]) if name in named else others is not False and fits(item, others)
        for name, item in value.items()
    )


def inside(schema: Schema) -> list[Schema]:
    """The schema and all schemas in it."""
    more = schema.get("additionalProperties")
    parts = [
        *schema.get("properties", {}).values(),
        *schema.get("anyOf", []),
        *schema.get("oneOf", []),
        *([schema["items"]] if "items" in schema else []),
        *([more] if isinstance(more, dict) else []),
    ]
    return [schema, *(deeper for part in parts for deeper in inside(part))]
