"""
How a notebook shows an assessment, a rulebook, a deal or an offer: as short HTML.

What is shown is given as plain texts and numbers, so this package knows none of these classes. Each
class has a `_repr_html_` that says what is shown of it.
"""
