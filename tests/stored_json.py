"""Stored documents as trees, and their edits: as somebody makes them who can write to the store."""

from __future__ import annotations

import copy
import hashlib
import json

from holdback.exact_json import Verbatim, write_json


def tree_of(document):
    """The tree of a document, with its numbers as they are written."""
    return json.loads(document, parse_int=Verbatim, parse_float=Verbatim)


def written(tree):
    """The text of *tree*, with the checksum that it says."""
    return write_json(tree).encode()


def resealed(tree):
    """The text of *tree* with the checksum of this text, so that nothing shows the edit."""
    fields = {name: value for name, value in tree.items() if name != "checksum"}
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
