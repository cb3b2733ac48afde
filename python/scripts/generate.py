"""Writes the parts of trading_gateway that follow from something else. `--check` compares them with what is there.

    python scripts/generate.py openapi.json [--check]

- `_generated.py`: the dataclasses of the OpenAPI document, and one exception class for each `error_type`;
- `_transport.py` and `_gateway.py`: the synchronous forms of the asynchronous modules.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent.parent / "src" / "trading_gateway"

BLOCKING = [
    ("_async import", " import"),
    ("AsyncIterator", "Iterator"),
    ("AsyncClient", "Client"),
    ("AsyncUnknownOutcome", "UnknownOutcome"),
    ("AsyncTransport", "Transport"),
    ("AsyncGateway", "Gateway"),
    ("AsyncEvents", "Events"),
    ("__aiter__", "__iter__"),
    ("__anext__", "__next__"),
    ("anext(", "next("),
    ("__aenter__", "__enter__"),
    ("__aexit__", "__exit__"),
    ("asyncio.sleep", "time.sleep"),
    ("aiter_lines", "iter_lines"),
    ("aread", "read"),
    ("aclose", "close"),
    ("async def ", "def "),
    ("async for ", "for "),
    ("async with ", "with "),
    ("await ", ""),
    ("import asyncio\n", "import time\n"),
]


def blocking(source: str) -> str:
    for asynchronous, synchronous in BLOCKING:
        source = source.replace(asynchronous, synchronous)
    return source.replace("import time\n", "", source.count("import time\n") - 1)


def class_name(error_type: str) -> str:
    return "".join(part.capitalize() for part in error_type.split("_"))


class Schemas:
    """Python types of the schemas of a document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.schemas: dict[str, Any] = document["components"]["schemas"]

    def type_of(self, schema: dict[str, Any]) -> str:
        if "$ref" in schema:
            return schema["$ref"].rsplit("/", 1)[1]
        if "allOf" in schema and len(schema["allOf"]) == 1:
            return self.type_of(schema["allOf"][0])
        for word in ("oneOf", "anyOf"):
            if word in schema:
                return self.union([self.type_of(part) for part in schema[word]])
        kind = schema.get("type")
        if isinstance(kind, list):
            return self.union([self.type_of({**schema, "type": one}) for one in kind])
        if kind == "array":
            return f"list[{self.type_of(schema.get('items', {}))}]"
        plain = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None"}
        return plain.get(kind, "Any")

    @staticmethod
    def union(parts: list[str]) -> str:
        if "Any" in parts:
            return "Any"
        return " | ".join(sorted(set(parts), key=lambda part: (part == "None", part)))

    def dataclass(self, name: str) -> str:
        schema = self.schemas[name]
        required = set(schema.get("required", ()))
        members = {member: part for member, part in schema.get("properties", {}).items() if member != "ok"}
        first = [member for member in members if member in required]
        last = [member for member in members if member not in required]
        lines = ["", "", "@dataclass(frozen=True)", f"class {name}:"]
        about = schema.get("description")
        if about:
            lines += [f'    """{one_line(about)}"""', ""]
        for member in first + last:
            part = members[member]
            note = one_line(part.get("description", ""))
            if note:
                lines.append(f"    #: {note}")
            kind = self.type_of(part)
            if member in last and "None" not in kind and kind != "Any":
                kind += " | None"
            field = member + "_" if keyword.iskeyword(member) else member
            lines.append(f"    {field}: {kind}" + (" = None" if member in last else ""))
        if not members:
            lines.append("    pass")
        return "\n".join(lines)


def one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace('"""', "'''").replace("\\", "\\\\")


def answers_of(document: dict[str, Any], schemas: Schemas) -> list[str]:
    """The schemas that an answer of 200 or 207 is or contains, in the order of the document."""
    found: list[str] = []

    def visit(part: Any) -> None:
        if isinstance(part, list):
            for item in part:
                visit(item)
        if not isinstance(part, dict):
            return
        reference = part.get("$ref")
        if isinstance(reference, str):
            name = reference.rsplit("/", 1)[1]
            if name not in found:
                found.append(name)
                visit(schemas.schemas[name])
        for value in part.values():
            visit(value)

    for item in document["paths"].values():
        for operation in item.values():
            for status in ("200", "207"):
                visit(operation.get("responses", {}).get(status, {}).get("content", {}).get("application/json", {}))
    return found


def generated(document: dict[str, Any]) -> str:
    schemas = Schemas(document)
    types = schemas.schemas["ErrorResponse"]["properties"]["error_type"]["enum"]
    lines = [
        '"""Written by scripts/generate.py from the OpenAPI document. Do not edit."""',
        "",
        "from __future__ import annotations",
        "",
        "from dataclasses import dataclass",
        "from typing import Any",
        "",
        "from ._errors import Refused",
    ]
    for error_type in types:
        if error_type == "unknown_outcome":
            continue
        lines += ["", "", f"class {class_name(error_type)}(Refused):", f'    error_type = "{error_type}"']
    lines += [
        "",
        "",
        "#: The class of each `error_type`; `unknown_outcome` is UnknownOutcome.",
        "ERRORS: dict[str, type[Refused]] = {",
    ]
    lines += [f'    "{one}": {class_name(one)},' for one in types if one != "unknown_outcome"]
    lines += ["}"]
    lines += [schemas.dataclass(name) for name in answers_of(document, schemas)]
    return "\n".join(lines) + "\n"


def main() -> int:
    document = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    written = {"_generated.py": generated(document)}
    for name in ("_transport", "_gateway"):
        source = (PACKAGE / f"{name}_async.py").read_text("utf-8")
        head = f"# Written by scripts/generate.py from {name}_async.py. Do not edit.\n"
        written[f"{name}.py"] = head + blocking(source)
    stale = []
    for name, text in written.items():
        path = PACKAGE / name
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            path.write_text(text, "utf-8")
    print(f"{', '.join(stale) or 'nothing'} {'is stale' if '--check' in sys.argv else 'written'}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
