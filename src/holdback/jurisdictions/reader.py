"""The files of a jurisdiction's folder to a `Jurisdiction`. Pure: bytes in, a value or faults out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import frozen

from holdback.errors import Fault, InvalidDocument
from holdback.facts import catalogue
from holdback.jurisdictions.examples import ExampleReader
from holdback.jurisdictions.items import Item, Keys, read_items
from holdback.jurisdictions.particulars import Particulars, read_format, read_particulars
from holdback.jurisdictions.rulebook import Jurisdiction
from holdback.jurisdictions.slices import Policy, cut
from holdback.jurisdictions.written import Parameters, read_parameters, read_product, read_rules
from holdback.money import Currency

JURISDICTION: Final = "jurisdiction.toml"
RENEWAL: Final = "renewal.toml"
PRODUCTS: Final = "products.toml"
FILES: Final = (JURISDICTION, RENEWAL, PRODUCTS)

# A file full of faults is one mistake made many times; each fault costs a look for near words.
MOST_FAULTS: Final = 100


def read_jurisdiction(
    code: str, files: Mapping[str, bytes], *, file_prefix: str = ""
) -> Jurisdiction:
    """
    The jurisdiction in *files*, the content of the folder *code* by file name.

    *file_prefix* stands before the file names in faults and in the reasons of decisions.

    Raises:
        InvalidDocument: with every fault of every file, in the order of `FILES` and of their lines.
    """
    reading = _Reading(code, file_prefix, _Noted())
    jurisdiction = None
    try:
        jurisdiction = reading.jurisdiction(files)
    except _Enough:
        more = Fault(message=f"reading stopped after {MOST_FAULTS} faults; there may be more")
        raise InvalidDocument([*reading.in_order, more]) from None
    if reading.faults or jurisdiction is None:
        raise InvalidDocument(reading.in_order)
    return jurisdiction


class _Enough(Exception):
    """So many faults were noted that nobody would read more."""


class _Noted(list[Fault]):
    """The faults noted so far, which end the reading when they are many."""

    def append(self, fault: Fault) -> None:
        super().append(fault)
        if len(self) >= MOST_FAULTS:
            raise _Enough


@frozen
class _Reading:
    code: str
    prefix: str
    faults: list[Fault]

    @property
    def in_order(self) -> list[Fault]:
        """The faults, each once, in the order of the files and of their lines."""
        names = [self.prefix + name for name in FILES]

        def place(fault: Fault) -> tuple[int, int, int]:
            return names.index(fault.file or names[0]), fault.line or 0, fault.column or 0

        return sorted(dict.fromkeys(self.faults), key=place)

    def jurisdiction(self, files: Mapping[str, bytes]) -> Jurisdiction | None:
        """The jurisdiction, as far as it can be read with what is noted."""
        who, renewal, products = (self._items(name, files) for name in FILES)
        particulars, currency = None, None
        if who is not None:
            particulars, currency = read_particulars(who, self.code)
        if currency is None:
            return (
                None  # without it no amount can be read, and most that could be said would be wrong
            )
        return self._with_rules(particulars, currency, renewal, products)

    def _items(self, name: str, files: Mapping[str, bytes]) -> Item | None:
        file = f"{self.prefix}{name}"
        if name in files:
            return read_items(file, files[name], self.faults)
        hint = f"a jurisdiction has {', '.join(f'`{each}`' for each in FILES)}"
        self.faults.append(Fault(message="the file is missing", file=file, hint=hint))
        return None

    def _with_rules(
        self,
        particulars: Particulars | None,
        currency: Currency,
        renewal: Item | None,
        products: Item | None,
    ) -> Jurisdiction | None:
        renewal_keys = _keys(renewal, "rules")
        product_keys = _keys(products, "products")
        parameters: Parameters = {}
        for keys in (renewal_keys, product_keys):
            if keys is not None:
                read_parameters(keys["parameters"], currency, parameters)
        before = len(self.faults)
        rules = [] if renewal_keys is None else read_rules(renewal_keys["rules"], self.code)
        offered = [] if product_keys is None else product_keys["products"].items()
        written = [read_product(item, self.code) for item in offered]
        if renewal_keys is None or product_keys is None:
            return None  # the two share their parameters
        policy = Policy(
            currency=currency,
            particulars=particulars,
            parameters=parameters,
            rules=rules,
            products=[product for product in written if product is not None],
            rules_item=renewal_keys["rules"],
            products_item=product_keys["products"],
        )
        all_read = len(self.faults) == before
        slices = cut(policy)
        reader = ExampleReader(
            catalogue=catalogue(currency),
            start=min((rule.period.start for rule in rules), default=None),
            rules=rules,
            products=policy.products,
            all_read=all_read,
        )
        examples = (
            *reader.renewal(renewal_keys["examples"], renewal_keys["typical"]),
            *reader.product(product_keys["examples"], product_keys["typical"]),
        )
        if self.faults or particulars is None:
            return None
        return Jurisdiction(
            code=self.code,
            name=particulars.name,
            currency=currency,
            zone=particulars.zone,
            slices=slices,
            examples=examples,
        )


def _keys(item: Item | None, listed: str) -> Keys | None:
    """The keys of `renewal.toml` or `products.toml`, whose list has the key *listed*."""
    if item is None:
        return None
    keys = item.keys(("format", listed), ("parameters", "typical", "examples"))
    read_format(keys["format"])
    return keys
