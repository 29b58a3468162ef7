"""The specification's nouns as frozen classes, with the specification's field names.

The model does not know the wire: how these are read and written is in `holdback.wire`.
"""
