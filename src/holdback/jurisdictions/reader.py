"""The files of folders, read into `Jurisdiction`s. Pure: bytes in, jurisdictions or errors out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from attrs import evolve, field

from holdback.eligibility.facts import catalogue
from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean, excerpt
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.jurisdictions import keys
from holdback.jurisdictions.examples import (
    read_equivalent_mutants,
    read_examples,
    typical_facts,
)
from holdback.jurisdictions.jurisdiction import Example, Jurisdiction
from holdback.jurisdictions.jurisdiction_file import (
    JurisdictionDetails,
    is_newer,
    read_details,
    read_format,
)
from holdback.jurisdictions.overlay import Draft, Layer, Policy
from holdback.jurisdictions.resolver import resolve
from holdback.jurisdictions.source_rules import (
    Parameters,
    SourceRule,
    read_parameters,
    read_product,
    read_rules,
)
from holdback.jurisdictions.source_tables import SourceTable, read_tables
from holdback.jurisdictions.stated_claims import StatedClaim, read_claims
from holdback.jurisdictions.toml import Node, TomlTable, read_toml
from holdback.rulebooks.regime import Regime
from holdback.rulebooks.rulebook import FUNDING, age_name
from holdback.rules import Catalogue, Fact
from holdback.rules.number_format import plain_format

JURISDICTION: Final = "jurisdiction.toml"
RENEWAL: Final = "renewal.toml"
PRODUCTS: Final = "products.toml"
DISCLOSURES: Final = "disclosures.toml"
# A country has all of these; a folder may have a law on disclosures as well.
FILES: Final = (JURISDICTION, RENEWAL, PRODUCTS)
ALL_FILES: Final = (*FILES, DISCLOSURES)

# A file with this many errors has one mistake made many times. Each error costs a search for
# similar words, so the bound also limits what a hostile file can cost.
MAX_ERRORS: Final = 100
# A country, a state, a county and a city. With more, what is in force is hard to follow.
MAX_LAYERS: Final = 4
_MAX_LISTED: Final = 20


@frozen
class FolderFiles:
    """The files of a folder by name; the folder is named by its code, and *prefix* is its path."""

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
    Return the jurisdiction in *files*, the content of the folder *code* by file name.

    *file_prefix* goes before the file names in errors and in the reasons of decisions. *parents*
    are the jurisdictions that it may name as its parent, by code.

    Raises:
        InvalidDocument: with every error of every file, by file, as in `ALL_FILES`, and by line.
    """
    return _Reading(FolderFiles(code, files, file_prefix)).finish(parents, parents.keys())


def read_jurisdictions(
    folders: Collection[FolderFiles], unreadable: Collection[str] = ()
) -> tuple[dict[str, Jurisdiction], dict[str, tuple[ErrorDetail, ...]]]:
    """
    Return the valid jurisdictions in *folders* by code, and the errors of the others by code.

    *unreadable* are the codes of folders that could not be opened. An invalid jurisdiction keeps
    only its children from being read.
    """
    waiting = {folder.code: _Reading(folder) for folder in folders}
    return _finish_all(waiting, frozenset(waiting) | frozenset(unreadable), {})


def read_with_parents(
    code: str,
    files_of: Callable[[str], FolderFiles],
    codes: Collection[str],
    held: Mapping[str, Jurisdiction],
) -> tuple[dict[str, Jurisdiction], dict[str, tuple[ErrorDetail, ...]]]:
    """
    Return *held*, with the jurisdiction *code* and its parents, and the errors of invalid ones.

    Both are by code. *held* are jurisdictions that were read before, and are not read again.
    *codes* are those of all folders, and *files_of* opens the folder of one of them.
    """
    # Up from *code* to the first parent that is held, is in no folder, or closes a circle.
    waiting: dict[str, _Reading] = {}
    wanted: str | None = code
    while wanted is not None and wanted in codes and wanted not in {*held, *waiting}:
        waiting[wanted] = _Reading(files_of(wanted))
        wanted = waiting[wanted].parent
    return _finish_all(waiting, codes, held)


def _finish_all(
    waiting: dict[str, _Reading], codes: Collection[str], held: Mapping[str, Jurisdiction]
) -> tuple[dict[str, Jurisdiction], dict[str, tuple[ErrorDetail, ...]]]:
    """Return *held* and the jurisdictions that are *waiting*, and the errors of the invalid."""
    jurisdictions = dict(held)
    errors: dict[str, tuple[ErrorDetail, ...]] = {}
    while waiting:
        # Parents before children. When every folder waits for another one, their parents form a
        # circle, and each of them gets the error.
        ready = [reading for reading in waiting.values() if reading.parent not in waiting]
        for reading in ready or list(waiting.values()):
            code = reading.folder.code
            del waiting[code]
            try:
                jurisdictions[code] = reading.finish(jurisdictions, codes, circular=not ready)
            except InvalidDocument as error:
                errors[code] = error.errors
    return jurisdictions, errors


class _TooManyErrors(Exception):
    """Reading stops: there are as many errors as anybody would read."""


class _Errors(list[ErrorDetail]):
    """The errors so far; adding the last one that is allowed ends the reading."""

    def append(self, error: ErrorDetail) -> None:
        super().append(error)
        if len(self) >= MAX_ERRORS:
            raise _TooManyErrors


class _Reading:
    """
    A folder while it is read.

    Its `jurisdiction.toml` is parsed at once, because it names the parent; everything else is read
    by `finish`, when the parent is available.
    """

    def __init__(self, folder: FolderFiles) -> None:
        self.folder = folder
        self.errors: list[ErrorDetail] = _Errors()
        self.root = self._read_file(JURISDICTION)

    @property
    def parent(self) -> str | None:
        """The code of the parent that it names."""
        value = None if self.root is None else self.root.value
        parent = value.get("parent") if isinstance(value, dict) else None
        return parent if isinstance(parent, str) else None

    def finish(
        self,
        parents: Mapping[str, Jurisdiction],
        codes: Collection[str],
        *,
        circular: bool = False,
    ) -> Jurisdiction:
        """
        Return the jurisdiction; *parents* are those read so far, *codes* those of all folders.

        Raises:
            InvalidDocument: with every error.
        """
        jurisdiction = None
        try:
            parent = self._find_parent(parents, codes, circular=circular)
            jurisdiction = self._read(parent)
        except _TooManyErrors:
            more = ErrorDetail(
                code="too_large",
                message=f"reading stopped after {MAX_ERRORS} errors; there may be more",
                file=self.errors[-1].file,
            )
            raise InvalidDocument([*self._sorted_errors, more]) from None
        if self.errors or jurisdiction is None:
            raise InvalidDocument(self._sorted_errors)
        return jurisdiction

    @property
    def _sorted_errors(self) -> list[ErrorDetail]:
        """The distinct errors, in the order of the files and of their lines."""
        # Errors come in the order in which the readers run; people read them by file and line.
        names = [self.folder.prefix + name for name in ALL_FILES]

        def place(error: ErrorDetail) -> tuple[int, int, int]:
            return names.index(error.file or names[0]), error.line or 0, error.column or 0

        return sorted(dict.fromkeys(self.errors), key=place)

    def _read_file(self, name: str, *, optional: bool = False) -> Node | None:
        """Return the root of the file *name*; None when it is missing or cannot be read."""
        file = f"{self.folder.prefix}{name}"
        if name in self.folder.files:
            body = self.folder.files[name]
            root = read_toml(file, body, self.errors)
            return None if root is None or is_newer(root) else root
        if not optional:
            hint = f"a jurisdiction has {', '.join(f'`{required}`' for required in FILES)}"
            self.errors.append(
                ErrorDetail(code="missing", message="the file is missing", file=file, hint=hint)
            )
        return None

    def _find_parent(
        self, parents: Mapping[str, Jurisdiction], codes: Collection[str], *, circular: bool
    ) -> Jurisdiction | None:
        """Return the parent; None when it names none, or an invalid one, which is an error."""
        code = self.parent
        if code is None or self.root is None:
            return None
        node = self.root.entries()["parent"]
        if circular:
            node.add_error("contradiction", "the parents form a circle", "a country has no parent")
        elif code in parents:
            parent = parents[code]
            if len(parent.policy.layers) < MAX_LAYERS:
                return parent
            node.add_error(
                "too_large", f"there are more than {MAX_LAYERS} layers of parents and children"
            )
        elif code in codes:
            node.add_error(
                "unreadable",
                f"the parent `{excerpt(code)}` has errors of its own",
                "correct those first",
            )
        else:
            other_codes = sorted(set(codes) - {self.folder.code})
            listed = (
                ", ".join(f"`{listed_code}`" for listed_code in other_codes[:_MAX_LISTED]) or "none"
            )
            hint = did_you_mean(code, codes) or f"there are {listed}"
            node.add_error("unknown_name", f"there is no jurisdiction `{excerpt(code)}`", hint)
        return None

    def _read(self, parent: Jurisdiction | None) -> Jurisdiction | None:
        """Return the jurisdiction, or None after adding every error found."""
        # A child may lack a file. Nobody knows what it is if `jurisdiction.toml` is not TOML.
        unknown = self.root is None and JURISDICTION in self.folder.files
        is_child = self.parent is not None or unknown
        renewal_root = self._read_file(RENEWAL, optional=is_child)
        products_root = self._read_file(PRODUCTS, optional=is_child)
        details, currency, facts = None, None, tuple[Fact, ...]()
        if self.root is not None:
            details, currency, facts = read_details(
                self.root, self.folder.code, None if parent is None else parent.details
            )
        renewal = _file_table(renewal_root, "rules", is_child=is_child)
        products = _file_table(products_root, "products", is_child=is_child)
        regimes, of_disclosures = self._disclosures(details, currency, parent)
        before, tables = len(self.errors), (renewal, products)
        # Without the currency no amount can be read, and most errors in amounts would be false.
        if self.root is None or currency is None:
            _read_rules_and_products(self.folder.code, tables, None)
            list(self._claims(tables))
            return None
        draft = self._draft(self.root, details, catalogue(currency).with_facts(facts), tables)
        if is_child and parent is not None:
            own = len(self.errors)
            draft = draft.with_parent(parent.policy)
            if len(self.errors) > own:
                return None  # the two cannot be read as one
        elif is_child or renewal is None or products is None:
            return None  # rules of one file may read parameters of the other, or of the parent
        all_read = len(self.errors) == before
        draft = evolve(draft, disclosures=regimes)
        slices, claims = resolve(draft, () if parent is None else parent.slices)
        inherited = {} if parent is None else parent.typical
        examples = read_examples(draft, slices, tables, inherited, all_read=all_read)
        equivalent_mutants = [
            mutant
            for table in tables
            if table is not None
            for mutant in read_equivalent_mutants(table["survivors"])
        ]
        if self.errors or details is None:
            return None
        return Jurisdiction(
            code=self.folder.code,
            name=details.name,
            currency=currency,
            zone=details.zone,
            slices=slices,
            examples=(*examples, *of_disclosures),
            equivalent_mutants=tuple(equivalent_mutants),
            details=details,
            policy=draft.policy,
            typical=typical_facts(*tables, inherited),
            claims=claims,
        )

    def _disclosures(
        self,
        details: JurisdictionDetails | None,
        currency: Currency | None,
        parent: Jurisdiction | None,
    ) -> tuple[tuple[Regime, ...], tuple[Example, ...]]:
        """Return the regimes and examples of `disclosures.toml`; without one, the parent's law."""
        code, figures = self.folder.code, None if details is None else details.figures
        root = self._read_file(DISCLOSURES, optional=True)
        if currency is None:
            return (), ()
        if root is None:
            inherited = () if parent is None else parent.disclosures
            written = figures or plain_format(currency)
            return tuple(evolve(row, code=code, number_format=written) for row in inherited), ()
        # Loaded here: few jurisdictions have such a law, and it needs figures that no rule has.
        from holdback.jurisdictions.disclosure_file import read_disclosures  # noqa: PLC0415 - few have a law

        return read_disclosures(root, code, currency, figures)

    def _claims(self, tables: tuple[TomlTable | None, TomlTable | None]) -> Iterator[StatedClaim]:
        """Yield the valid claims of both files."""
        is_child = self.parent is not None
        code, (renewal, products) = self.folder.code, tables
        if renewal is not None:
            yield from read_claims(renewal["claims"], code, keys.RENEWAL_CLAIM, is_child=is_child)
        if products is not None:
            yield from read_claims(products["claims"], code, keys.PRODUCT_CLAIM, is_child=is_child)
            yield from read_claims(
                products["funding_claims"],
                code,
                keys.RENEWAL_CLAIM,
                product=FUNDING,
                is_child=is_child,
            )

    def _draft(
        self,
        root: Node,
        details: JurisdictionDetails | None,
        facts: Catalogue,
        tables: tuple[TomlTable | None, TomlTable | None],
    ) -> Draft:
        """Return the draft of this folder alone, without its parent."""
        (renewal, products), code, parameters = tables, self.folder.code, Parameters()
        for table in tables:
            if table is not None:
                read_parameters(table["parameters"], code, facts, parameters)
        layer = Layer(
            code=code,
            **_read_rules_and_products(code, tables, facts),
            switched_off=() if details is None else details.switched_off,
            claims=tuple(self._claims(tables)),
        )
        policy = Policy(
            code=code,
            catalogue=facts,
            parameters=parameters.valid,
            layers=(layer,),
            rules_node=_list_node(renewal, "rules", root),
            products_node=_list_node(products, "products", root),
            reasons={} if products is None else _own_reasons(products["reasons"]),
        )
        return Draft(
            policy=policy,
            details=details,
            file_node=root,
            invalid_parameters=frozenset(parameters.invalid),
            invalid_facts=frozenset(_stated_names(root) - {fact.name for fact in facts.facts}),
        )


def _read_rules_and_products(
    code: str, tables: tuple[TomlTable | None, TomlTable | None], facts: Catalogue | None
) -> dict[str, tuple[Any, ...]]:
    """
    Return the valid rules and products in the *tables* of both files, as a layer names them.

    Without *facts* no amount and no table of tiers can be read, and none is.
    """
    renewal, products = tables
    currency = None if facts is None else facts.currency
    read: dict[str, tuple[Any, ...]] = {"rules": (), "products": ()}
    tiers = [
        () if file is None or facts is None else read_tables(file["tables"], code, facts, every)
        for file, every in ((renewal, keys.TABLE), (products, keys.SHARED_TABLE))
    ]
    if renewal is not None:
        read["rules"] = (*read_rules(renewal["rules"], code), *_rules_of(tiers[0]))
    if products is not None:
        nodes = products["products"].elements()
        offered = [read_product(node, code, currency) for node in nodes]
        read["products"] = tuple(product for product in offered if product is not None)
        shared = read_rules(products["rules"], code, keys=keys.SHARED_RULE)
        read["shared"] = (*shared, *_rules_of(tiers[1]))
        read["funding"] = tuple(read_rules(products["funding"], code))
    return {**read, "tables": (*tiers[0], *tiers[1])}


def _rules_of(tables: Iterable[SourceTable]) -> Iterator[SourceRule]:
    return (rule for table in tables for rule in table.rules)


def _own_reasons(node: Node) -> dict[str, str]:
    """Return the valid sentences for the service's own reasons in *node*, by code."""
    sentences = keys.OWN_REASONS.read(keys.OWN_REASONS.table(node))
    return {name.upper(): sentence for name, sentence in sentences.items() if sentence is not None}


def _stated_names(root: Node) -> set[str]:
    """Return the names of the facts and ages that `jurisdiction.toml` states, valid or not."""
    tables = root.value if isinstance(root.value, dict) else {}
    declared, checks = (
        table if isinstance(table, dict) else {}
        for table in (tables.get("facts"), tables.get("checks"))
    )
    return {*declared, *map(age_name, checks)}


def _file_table(root: Node | None, list_key: str, *, is_child: bool) -> TomlTable | None:
    """Return the keys of `renewal.toml` or `products.toml`, whose list is under *list_key*."""
    if root is None:
        return None
    every = keys.RENEWAL if list_key == "rules" else keys.PRODUCTS
    needed = ("format",) if is_child else ("format", list_key)
    # A hint lists the keys in their order, the list first.
    names = dict.fromkeys(("format", list_key, *every.rows))
    table = root.table(needed, tuple(name for name in names if name not in needed))
    read_format(table["format"])
    return table


def _list_node(table: TomlTable | None, list_key: str, root: Node) -> Node:
    """Return the list of rules or products, or *root*, that of `jurisdiction.toml`, without one."""
    return root if table is None or table[list_key].absent else table[list_key]
