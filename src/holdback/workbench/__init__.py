"""What a risk team works with: checking, testing and comparing the files of jurisdictions.

Everything here takes jurisdictions that were read, and gives values; what opens files and what prints is
in `cli/`.
"""
