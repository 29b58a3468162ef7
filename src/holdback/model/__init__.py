"""The specification's nouns as frozen classes, with the specification's field names.

`holdback.wire` reads and writes them.
"""
