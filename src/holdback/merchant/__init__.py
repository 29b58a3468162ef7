"""The nouns of the service as frozen classes, with its field names (service 2).

`holdback.wire` reads and writes them.
"""
