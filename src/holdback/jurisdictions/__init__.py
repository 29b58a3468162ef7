"""Jurisdictions: folders of TOML, read into rulebooks.

`folder.py` is the one file here that opens files. Everything behind it is pure: `reader.py` takes the
bytes of a folder's files and gives a `Jurisdiction`, or every fault in them at once.
"""
