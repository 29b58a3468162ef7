"""Faults in copies of the files that ship: how a text is edited so that it has one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

SHIPPED = Path(__file__).parents[2] / "jurisdictions"
RENEWAL, PRODUCTS, ABOUT = "renewal.toml", "products.toml", "jurisdiction.toml"
FAMILIES = {"US": ("US", "US-CA", "US-NY"), "CA": ("CA", "CA-QC")}

Files = dict[str, str]
Edit = Callable[[Files], Files]


@dataclass(frozen=True)
class Fault:
    """
    What is wrong in the copy of a folder, and the claim that finds it.

    It is looked for as of the day `on`; without one, a fault that lies wholly before the newest
    rulebook is information.
    """

    folder: str
    claim: str
    edits: tuple[Edit, ...]
    product: str | None = None
    on: date | None = None


@cache
def shipped(code):
    """The texts of the files of a jurisdiction that ships, by name."""
    return {path.name: path.read_text("utf-8") for path in sorted((SHIPPED / code).iterdir())}


def family(folder):
    """The codes of a jurisdiction, its parents and its children."""
    return FAMILIES.get(folder.partition("-")[0], (folder,))


def planted(fault):
    """The texts of the family of the folder of *fault*, by code, with the fault in them."""
    files = dict(shipped(fault.folder))
    for edit in fault.edits:
        changed = edit(files)
        assert changed != files, f"an edit of {fault} changes nothing"
        files = changed
    return {code: shipped(code) for code in family(fault.folder)} | {fault.folder: files}


# -- edits


def text(file, old, new, *, at=0):
    """Replace *old* in a *file* by *new*, where it stands for the time *at*."""

    def edit(files):
        parts = files[file].split(old)
        assert len(parts) > at + 1, f"{old!r} is in {file} {len(parts) - 1} times"
        changed = old.join(parts[: at + 1]) + new + old.join(parts[at + 1 :])
        return {**files, file: changed}

    return edit


def _file_of(code):
    return PRODUCTS if "-P-" in code else RENEWAL


def _block(written, code, at):
    """Where the rule *code* begins and ends in the text of a file, in the version *at*."""
    lines = [match.start() for match in re.finditer(f'^code = "{code}"$', written, re.MULTILINE)]
    begin = written.rindex("[[", 0, lines[at])
    return begin, written.index("\n\n", begin)


def rule(code, *, at=0, **keys):
    """Give a rule other *keys*, in the version *at*; `start` and `end` are `from` and `until`."""
    file = _file_of(code)

    def edit(files):
        begin, end = _block(files[file], code, at)
        block = files[file][begin:end]
        for key, value in keys.items():
            name = {"start": "from", "end": "until"}.get(key, key)
            line = f"{name} = {value}"
            found = re.search(f"^{name} = .*$", block, re.MULTILINE)
            block = block.replace(found[0], line, 1) if found else f"{block}\n{line}"
        return {**files, file: files[file][:begin] + block + files[file][end:]}

    return edit


def require(code, expression, *, at=0):
    """Give a rule another requirement."""
    return rule(code, at=at, require=f"'{expression}'")


def when(code, expression, *, at=0):
    """Give a rule another `when`."""
    return rule(code, at=at, when=f"'{expression}'")


def value(name, since, written, *, file=RENEWAL):
    """Give a parameter another value from the day *since*."""

    def edit(files):
        pattern = rf"(\[parameters\.{name}\][^\[]*timeline = \[[^\]]*from = {since}, value = )[^,]*"
        changed, count = re.subn(pattern, rf"\g<1>{written}", files[file])
        assert count == 1, f"{name} has {count} values from {since}"
        return {**files, file: changed}

    return edit


def _before_facts(files, file, new):
    """The *file* with *new* after its rules, before `[typical]` and the examples."""
    place = re.search(
        r"^(# -+ examples|\[typical\]|\[\[examples\]\])", files[file], re.MULTILINE
    ).start()
    return {**files, file: f"{files[file][:place]}{new}\n{files[file][place:]}"}


def more_rule(code, expression, *, name=None, since="2024-01-01", **keys):
    """Add a renewal rule after all others; *keys* are further ones, as written."""
    shown = "".join(f"{key} = {written}\n" for key, written in keys.items())
    new = (
        f'[[rules]]\nid = "{name or code.lower()}"\ncode = "{code}"\nrequire = \'{expression}\'\n'
        f'{shown}reason = "No."\nsource = "reference policy"\nfrom = {since}\n'
    )
    return lambda files: _before_facts(files, RENEWAL, new)


def more_product_rule(after, code, expression, *, at=0, **keys):
    """Add a rule to the product that has the rule *after*, behind that one."""
    shown = "".join(f"{key} = {written}\n" for key, written in keys.items())
    new = (
        f'[[products.rules]]\nid = "{code.lower()}"\ncode = "{code}"\n'
        f"require = '{expression}'\n{shown}"
        'reason = "No."\nsource = "reference policy"\n'
    )

    def edit(files):
        end = _block(files[PRODUCTS], after, at)[1] + 2
        return {**files, PRODUCTS: f"{files[PRODUCTS][:end]}{new}\n{files[PRODUCTS][end:]}"}

    return edit


def second_version(code, until, since, *, at=0):
    """End a rule on the day *until*, and let a second version begin on the day *since*."""
    file = _file_of(code)

    def edit(files):
        begin, end = _block(files[file], code, at)
        block = files[file][begin:end]
        undated = re.sub("^(from|until) = .*\n?", "", block, flags=re.MULTILINE).rstrip("\n")
        began = re.search("^from = .*$", block, re.MULTILINE)
        first = undated + (f"\n{began[0]}" if began else "") + f"\nuntil = {until}"
        versions = f"{first}\n\n{undated}\nfrom = {since}"
        return {**files, file: files[file][:begin] + versions + files[file][end:]}

    return edit


def claim(kind, written, *, product=None, **keys):
    """State a claim: never, always or overlay."""
    file = RENEWAL if product is None else PRODUCTS
    shown = "".join(f"{key} = {given}\n" for key, given in keys.items())
    if product is not None:
        shown += f'product = "{product}"\n'
    new = f"[[claims]]\n{kind} = '{written}'\n{shown}"
    return lambda files: _before_facts(files, file, new)


def reason(code, sentence, *, at=0):
    """Give a rule another reason."""
    return rule(code, at=at, reason=f'"{sentence}"')


def switched_off(*names):
    """Switch off inherited rules, besides those that are switched off already."""
    entries = "".join(f'  {{ rule = "{name}", reason = "Not needed here." }},\n' for name in names)

    def edit(files):
        if "switch_off = [\n" in files[ABOUT]:
            return text(ABOUT, "switch_off = [\n", f"switch_off = [\n{entries}")(files)
        place = files[ABOUT].index("\n[") + 1
        changed = f"{files[ABOUT][:place]}switch_off = [\n{entries}]\n\n{files[ABOUT][place:]}"
        return {**files, ABOUT: changed}

    return edit
