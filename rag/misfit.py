"""A value that a setting cannot have, said in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

_ALIKE = {"int_from_float": "int_parsing", "int_type": "int_parsing", "float_type": "float_parsing"}
_NUMBERS = {
    "int_parsing": "is no whole number",
    "float_parsing": "is no number",
    "finite_number": "is no finite number",
    "greater_than": "is too small",
    "greater_than_equal": "is too small",
    "less_than": "is too large",
    "less_than_equal": "is too large",
}


def explained(error: ValidationError, fields: Mapping[str, FieldInfo], places: Mapping[str, str]) -> tuple[str, str]:
    """What is wrong and what to do, of every value that does not fit; `fields` and `places` are by the setting's name.

    Only numbers and choices are repeated: other values may hold a password.
    """
    faults = [_fault(each, fields, places) for each in error.errors(include_url=False)]
    return "; ".join(what for what, _ in faults) + ".", "; ".join(dict.fromkeys(fix for _, fix in faults)) + "."


def _fault(each: ErrorDetails, fields: Mapping[str, FieldInfo], places: Mapping[str, str]) -> tuple[str, str]:
    name = str(each["loc"][0]) if each["loc"] else "settings"
    kind = _ALIKE.get(each["type"], each["type"])
    place = f" ({places[name]})" if name in places else ""
    if kind in _NUMBERS:
        return f"{name}={_short(each['input'])}{place} {_NUMBERS[kind]}", f"Write {_range(fields[name])}"
    if kind == "literal_error":
        return f"{name}={_short(each['input'])}{place} is not known", f"Write {each['ctx']['expected']}"
    said = each["msg"].removeprefix("Value error, ").rstrip(".")
    return f"{name}{place}: {said}", "See .env.example for what it takes"


def _short(value: Any, most: int = 40) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= most else f"{text[:most]}…"


def _range(field: FieldInfo) -> str:
    """`a whole number from 1 to 100`, `a number above 0`."""
    noun = "a whole number" if "int" in str(field.annotation) else "a number"
    bounds = {name: getattr(one, name) for one in field.metadata for name in ("gt", "ge", "le") if hasattr(one, name)}
    if "gt" in bounds:
        return f"{noun} above {bounds['gt']:g}"
    return f"{noun} from {bounds['ge']}" + (f" to {bounds['le']}" if "le" in bounds else " up")
