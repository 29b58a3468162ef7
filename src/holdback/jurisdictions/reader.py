"""The files of jurisdictions' folders to `Jurisdiction`s. Pure: bytes in, values or faults out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

from attrs import field, frozen

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.facts import catalogue
from holdback.jurisdictions.equivalent_mutants import read_survivors
from holdback.jurisdictions.examples import ExampleReader
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.jurisdiction_file import Particulars, read_format, read_particulars
from holdback.jurisdictions.overlay import Layer, Policy
from holdback.jurisdictions.resolver import cut
from holdback.jurisdictions.rulebook import Example
from holdback.jurisdictions.source_rules import (
    Parameters,
    read_parameters,
    read_product,
    read_rules,
)
from holdback.money import Currency
from holdback.rules import Fact
from holdback.toml.document import excerpt
from holdback.toml.node import Item, Keys, read_items

JURISDICTION: Final = "jurisdiction.toml"
RENEWAL: Final = "renewal.toml"
PRODUCTS: Final = "products.toml"
FILES: Final = (JURISDICTION, RENEWAL, PRODUCTS)

# A file full of faults is one mistake made many times; each fault costs a look for near words.
MOST_FAULTS: Final = 100
# A country, its state, a county of that: deeper, nobody could say any more what holds.
MOST_PARENTS: Final = 4
_MOST_LISTED: Final = 20


@frozen
class Folder:
    """The content of a jurisdiction's folder, named by its code; *prefix* stands before its file names."""

    code: str
    files: Mapping[str, bytes] = field(repr=False)
    prefix: str = ""


def read_jurisdiction(
    code: str,
    files: Mapping[str, bytes],
    *,
    file_prefix: str = "",
    parents: Mapping[str, Jurisdiction] = MappingProxyType({}),
) -> Jurisdiction:
    """
    The jurisdiction in *files*, the content of the folder *code* by file name.

    *file_prefix* stands before the file names in faults and in the reasons of decisions; *parents* are
    those that it may name as its parent, by code.

    Raises:
        InvalidDocument: with every fault of every file, in the order of `FILES` and of their lines.
    """
    return _Reading(Folder(code, files, file_prefix)).finished(parents, parents.keys())


def read_jurisdictions(
    folders: Collection[Folder], unreadable: Collection[str] = ()
) -> tuple[dict[str, Jurisdiction], dict[str, tuple[ErrorDetail, ...]]]:
    """
    The jurisdictions in *folders* by code, and the faults of those that cannot be read; *unreadable* are the
    codes of folders that could not even be opened.

    What is at fault in one keeps no other from being read, except its children.
    """
    waiting = {folder.code: _Reading(folder) for folder in folders}
    known = frozenset(waiting) | frozenset(unreadable)
    found: dict[str, Jurisdiction] = {}
    faults: dict[str, tuple[ErrorDetail, ...]] = {}
    while waiting:
        # Where each waits for its parent, they go round in a circle, and any may be said to.
        ready = [each for each in waiting.values() if each.parent not in waiting]
        for reading in ready or list(waiting.values()):
            del waiting[reading.folder.code]
            try:
                found[reading.folder.code] = reading.finished(found, known, circular=not ready)
            except InvalidDocument as error:
                faults[reading.folder.code] = error.errors
    return found, faults


class _Enough(Exception):
    """So many faults were noted that nobody would read more."""


class _Noted(list[ErrorDetail]):
    """The faults noted so far, which end the reading when they are many."""

    def append(self, fault: ErrorDetail) -> None:
        super().append(fault)
        if len(self) >= MOST_FAULTS:
            raise _Enough


class _Reading:
    """A folder being read: its own file first, which may name a parent; the rest when that was read."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.errors: list[ErrorDetail] = _Noted()
        self.who = self._item(JURISDICTION)

    @property
    def parent(self) -> str | None:
        """The code that it names as its parent's."""
        value = None if self.who is None else self.who.value
        parent = value.get("parent") if isinstance(value, dict) else None
        return parent if isinstance(parent, str) else None

    def finished(
        self,
        parents: Mapping[str, Jurisdiction],
        known: Collection[str],
        *,
        circular: bool = False,
    ) -> Jurisdiction:
        """
        The jurisdiction, its parent being one of *parents*; *known* are the codes of all that there are.

        Raises:
            InvalidDocument: with every fault.
        """
        jurisdiction = None
        try:
            parent = self._parent(parents, known, circular=circular)
            jurisdiction = self._jurisdiction(parent)
        except _Enough:
            more = ErrorDetail(
                message=f"reading stopped after {MOST_FAULTS} faults; there may be more",
                file=self.errors[-1].file,
            )
            raise InvalidDocument([*self._in_order, more]) from None
        if self.errors or jurisdiction is None:
            raise InvalidDocument(self._in_order)
        return jurisdiction

    @property
    def _in_order(self) -> list[ErrorDetail]:
        """The faults, each once, in the order of the files and of their lines."""
        names = [self.folder.prefix + name for name in FILES]

        def place(fault: ErrorDetail) -> tuple[int, int, int]:
            return names.index(fault.file or names[0]), fault.line or 0, fault.column or 0

        return sorted(dict.fromkeys(self.errors), key=place)

    def _item(self, name: str, *, optional: bool = False) -> Item | None:
        """What is in the file *name*; None when it cannot be read, or is not there."""
        file = f"{self.folder.prefix}{name}"
        if name in self.folder.files:
            return read_items(file, self.folder.files[name], self.errors)
        if not optional:
            hint = f"a jurisdiction has {', '.join(f'`{each}`' for each in FILES)}"
            self.errors.append(ErrorDetail(message="the file is missing", file=file, hint=hint))
        return None

    def _parent(
        self, parents: Mapping[str, Jurisdiction], known: Collection[str], *, circular: bool
    ) -> Policy | None:
        """What is written for the parent; None when there is none, or it cannot be read."""
        code = self.parent
        if code is None or self.who is None:
            return None
        item = self.who.pairs()["parent"]
        if circular:
            item.fault("the parents go round in a circle", "a country has no parent")
        elif code in parents:
            policy = parents[code].policy
            if len(policy.layers) < MOST_PARENTS:
                return policy
            item.fault(f"there are more than {MOST_PARENTS} folders, one on top of the other")
        elif code in known:
            item.fault(f"the parent `{excerpt(code)}` has faults of its own", "mend those first")
        else:
            others = sorted(each for each in known if each != self.folder.code)
            listed = ", ".join(f"`{each}`" for each in others[:_MOST_LISTED]) or "none"
            hint = did_you_mean(code, known) or f"there are {listed}"
            item.fault(f"there is no jurisdiction `{excerpt(code)}`", hint)
        return None

    def _jurisdiction(self, parent: Policy | None) -> Jurisdiction | None:
        """The jurisdiction, as far as it can be read with what is noted."""
        child = self.parent is not None
        renewal = self._item(RENEWAL, optional=child)
        products = self._item(PRODUCTS, optional=child)
        particulars, currency = None, None
        facts: tuple[Fact, ...] = ()
        if self.who is not None:
            inherited = None if parent is None else parent.particulars
            particulars, currency, facts = read_particulars(self.who, self.folder.code, inherited)
        # Without the currency no amount can be read, and most that could be said would be wrong.
        if self.who is None or currency is None:
            return None
        renewal_keys = _keys(renewal, "rules", child=child)
        product_keys = _keys(products, "products", child=child)
        before = len(self.errors)
        policy = self._policy(particulars, currency, facts, renewal_keys, product_keys)
        if (renewal_keys is None or product_keys is None) and not child:
            return None  # the two share their parameters
        if child and (parent is None or particulars is None or len(self.errors) > before):
            return None  # what is inherited is judged only with what is there to replace it
        policy = policy.overlaying(parent)
        all_read = len(self.errors) == before
        if child and not all_read:
            return None
        slices = cut(policy)
        reader = ExampleReader(policy=policy, slices=slices, all_read=all_read)
        examples: list[Example] = []
        if particulars is not None:
            examples += reader.settings(particulars.examples)
        if renewal_keys is not None:
            examples += reader.renewal(renewal_keys["examples"], renewal_keys["typical"])
        if product_keys is not None:
            examples += reader.product(product_keys["examples"], product_keys["typical"])
        survivors = [
            survivor
            for keys in (renewal_keys, product_keys)
            if keys is not None
            for survivor in read_survivors(keys["survivors"])
        ]
        if self.errors or particulars is None:
            return None
        return Jurisdiction(
            code=self.folder.code,
            name=particulars.name,
            currency=currency,
            zone=particulars.zone,
            slices=slices,
            examples=tuple(examples),
            survivors=tuple(survivors),
            policy=policy,
        )

    def _policy(
        self,
        particulars: Particulars | None,
        currency: Currency,
        facts: tuple[Fact, ...],
        renewal: Keys | None,
        products: Keys | None,
    ) -> Policy:
        """What is written in this folder alone."""
        code, parameters = self.folder.code, Parameters()
        names = {fact.name for fact in catalogue(currency).with_facts(facts).facts}
        for keys in (renewal, products):
            if keys is not None:
                read_parameters(keys["parameters"], code, currency, names, parameters)
        rules = [] if renewal is None else read_rules(renewal["rules"], code)
        offered = [] if products is None else products["products"].items()
        written = [read_product(item, code) for item in offered]
        assert self.who is not None
        layer = Layer(
            code=code,
            rules=rules,
            products=[product for product in written if product is not None],
            switched_off=() if particulars is None else particulars.switched_off,
        )
        return Policy(
            code=code,
            catalogue=catalogue(currency).with_facts(facts),
            particulars=particulars,
            parameters=parameters,
            layers=(layer,),
            rules_item=_listed(renewal, "rules", self.who),
            products_item=_listed(products, "products", self.who),
        )


def _keys(item: Item | None, listed: str, *, child: bool) -> Keys | None:
    """The keys of `renewal.toml` or `products.toml`, whose list has the key *listed*."""
    if item is None:
        return None
    required = ("format",) if child else ("format", listed)
    optional = (listed,) if child else ()
    keys = item.keys(required, (*optional, "parameters", "typical", "examples", "survivors"))
    read_format(keys["format"])
    return keys


def _listed(keys: Keys | None, listed: str, who: Item) -> Item:
    """The list that rules or products stand in, or the whole of the jurisdiction's own file."""
    return who if keys is None or keys[listed].absent else keys[listed]
