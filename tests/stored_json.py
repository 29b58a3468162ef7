"""Stored documents as trees, and their edits: as somebody makes them who can write to the store."""

from __future__ import annotations

import copy
import hashlib
import json

from holdback.exact.exact_json import Verbatim, write_json
from holdback.merchant.rows import BETWEEN_ROWS


def tree_of(document):
    """The tree of a document, with its numbers as they are written."""
    return json.loads(document, parse_int=Verbatim, parse_float=Verbatim)


def written(tree):
    """The text of *tree*, with the checksum that it says."""
    return write_json(tree).encode()


def rows(items):
    """The list *items* as a state has it, each on a line; something else is left unchanged."""
    if not isinstance(items, list):
        return items
    return Verbatim("[\n" + BETWEEN_ROWS.join(map(write_json, items)) + "\n]")


def laid_out(fields):
    """*fields* with the long lists of a state as holdback lays them out (decisions/wire)."""
    laid = {name: rows(fields[name]) for name in ("takings", "requests") if name in fields}
    if laid and isinstance(fields.get("deals"), list):
        laid["deals"] = [
            {**deal, "entries": rows(deal["entries"])}
            if isinstance(deal, dict) and "entries" in deal
            else deal
            for deal in fields["deals"]
        ]
    return {**fields, **laid}


def resealed(tree):
    """The text of *tree* with the checksum of this text, so that nothing shows the edit."""
    fields = laid_out({name: value for name, value in tree.items() if name != "checksum"})
    text = write_json(fields).encode()[:-1]
    checksum = hashlib.sha256(text).hexdigest()[:16]
    return text + f',"checksum":"{checksum}"}}'.encode()


def places(tree, path=()):
    """The path of every value in a tree."""
    yield path
    if isinstance(tree, dict | list):
        for key in tree if isinstance(tree, dict) else range(len(tree)):
            yield from places(tree[key], (*path, key))


def value_at(tree, path):
    """The value at *path* in *tree*."""
    for key in path:
        tree = tree[key]
    return tree


def edited(tree, path, value):
    """*tree* with *value* at *path*; `...` takes what is there away."""
    if not path:
        return value
    tree = copy.deepcopy(tree)
    inner = value_at(tree, path[:-1])
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return tree
