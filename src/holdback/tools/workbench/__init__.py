"""Tools for a risk team: checking, testing and comparing the files of jurisdictions.

Everything here takes jurisdictions that were read and returns values. The commands in `cli/` open
the files and print.
"""
