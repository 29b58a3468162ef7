"""TOML documents, read with the line and column of every value.

`read_toml` returns the root `Node` of a file. A node is asked for the type that its reader expects
(`node.text()`, `node.day()`, `node.table(keys)`), and every mismatch is added to the document's
errors with its place. The package knows TOML and nothing of jurisdictions, rules or merchants.
"""

from holdback.jurisdictions.toml.document import MAX_BYTES, Document, UnsupportedNumber
from holdback.jurisdictions.toml.node import MAX_DIGITS, MAX_TEXT, Node, TomlTable, read_toml

__all__ = [
    "MAX_BYTES",
    "MAX_DIGITS",
    "MAX_TEXT",
    "Document",
    "Node",
    "TomlTable",
    "UnsupportedNumber",
    "read_toml",
]
