"""Claims that a file states of its rules: `[[claims]]`.

A claim is about every deal that can exist. It decides nothing and is in no digest: it is there to
be proved (decisions/proofs).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdback.errors import RuleError
from holdback.frozen_classes import frozen
from holdback.jurisdictions.keys import CLAIM_KINDS, OVERLAY, PRODUCT_CLAIM, RENEWAL_CLAIM, Keys
from holdback.jurisdictions.timeline import ALWAYS, Period, read_period
from holdback.jurisdictions.toml import Node, TomlTable
from holdback.rulebooks.rulebook import FUNDING
from holdback.rules import Catalogue, Checked, Kind, Tree, check


@frozen(kw_only=True, eq=False)
class StatedClaim:
    """
    A claim in the folder of a jurisdiction, and the period of which it is stated.

    `kind` is `"never"`: no deal of which `text` is true is eligible; `"always"`: it is true of
    every eligible deal; or `"overlay"`, and `text` is `"tighten"`: nobody is eligible here who is
    not under the parent, or referred who is declined there; `"loosen"` says that rules which are
    looser than the parent's are meant. With `product`, the key of one, it is about who the rules
    of that product accept, and with `FUNDING` about what is paid out; without it, about renewals. A
    claim that is given no `name` is named by what it says, such as
    `never deals_defaulted > 0`.
    """

    jurisdiction: str
    kind: str
    text: str
    tree: Tree | None
    name: str
    reason: str | None
    product: str | None
    period: Period
    table: TomlTable

    @property
    def file(self) -> str:
        """The file that it is written in."""
        return self.table.node.document.file

    @property
    def line(self) -> int | None:
        """The line on which it begins."""
        return self.table.node.line

    @property
    def parts(self) -> int:
        """The parts of its expression: what checking it costs."""
        return 0 if self.tree is None else self.tree.size

    def is_about_offers(self, catalogue: Catalogue) -> bool:
        """Return whether it names a figure of an offer, which is not a name of *catalogue*."""
        names = () if self.tree is None else self.tree.names
        absent = [name for name in names if not _has(catalogue, name)]
        # The figures are loaded only where a name is not the catalogue's own.
        return bool(absent) and any(_offer_figures(catalogue).fact(name) for name in absent)

    def checked(self, catalogue: Catalogue) -> Checked:
        """
        Return its expression, checked with the facts and the parameters of *catalogue*.

        One about offers is checked with their figures. An `overlay` has no expression.

        Raises:
            RuleError: with stage `types`; none for a catalogue of a jurisdiction that was read.
        """
        assert self.tree is not None, "an overlay has no expression"
        if not self.is_about_offers(catalogue):
            return check(self.tree, catalogue, Kind.FLAG)
        foreign = next((name for name in self.tree.names if _has(catalogue, name)), None)
        offers = _offer_figures(catalogue)
        figure = next(name for name in self.tree.names if offers.fact(name) and name != foreign)
        if foreign is not None:
            message = f"`{figure}` is a figure of an offer, and `{foreign}` is not"
            hint = "a claim is about deals or about offers, and reads nothing of both: state two"
            raise _error(self.tree, foreign, message, hint)
        if self.product in (None, FUNDING):
            hint = (
                "state it in `products.toml`, as a claim with the `product` whose offers it means"
            )
            raise _error(self.tree, figure, f"`{figure}` is a figure of an offer", hint)
        return check(self.tree, offers, Kind.FLAG)


def _has(catalogue: Catalogue, name: str) -> bool:
    return catalogue.fact(name) is not None or name in catalogue.parameters


def _offer_figures(catalogue: Catalogue) -> Catalogue:
    """Return the figures of offers with the currency of *catalogue*."""
    from holdback.disclosures.figure_facts import offer_catalogue  # noqa: PLC0415 - few need it

    return offer_catalogue(catalogue.currency)


def _error(tree: Tree, name: str, message: str, hint: str) -> RuleError:
    """Return the error of the first *name* in *tree*."""
    place = re.search(rf"\b{name}\b", tree.source)
    assert place is not None, "it reads the name"
    start, end = place.span()
    return RuleError(message, source=tree.source, start=start, end=end, stage="types", hint=hint)


def read_claims(
    node: Node, code: str, keys: Keys, *, product: str | None = None, is_child: bool
) -> Iterator[StatedClaim]:
    """
    Yield the valid claims in *node*, those of the jurisdiction *code*, with these *keys*.

    They are about *product*, or name theirs where the keys have one. Only a child has something to
    tighten.
    """
    named = "product" in keys.rows
    for element in node.elements():
        table = keys.table(element)
        about = keys.value(table, "product") if named else product
        claim = _claim(table, code, about)
        if claim is not None and claim.kind == OVERLAY and not is_child:
            table[OVERLAY].add_error(
                "not_allowed",
                f"there is no parent whose rules these could {claim.text}",
                f"a jurisdiction with a `parent` has something to {claim.text}",
                key=True,
            )
        elif claim is not None and (claim.product is not None or not named):
            yield claim


def _claim(table: TomlTable, code: str, product: str | None) -> StatedClaim | None:
    """Return the claim in *table*, about *product*; None, with its errors, if it is invalid."""
    name, reason = (RENEWAL_CLAIM.value(table, key) for key in ("name", "reason"))
    period = read_period(table, ALWAYS)
    given = [kind for kind in CLAIM_KINDS if not table[kind].absent]
    if len(given) != 1:
        # A key that is unknown has been reported: a second error would mislead.
        if isinstance(table.node.value, dict) and {*table.node.value} <= {*PRODUCT_CLAIM.rows}:
            table.node.add_error(
                "contradiction" if given else "missing",
                "expected one of `never`, `always` and `overlay`",
                'as `never = "deals_defaulted > 0"`; two claims are two `[[claims]]`',
                key=True,
            )
        return None
    kind = given[0]
    value = RENEWAL_CLAIM.value(table, kind)
    tree: Tree | None = None if kind == OVERLAY else value
    text = value if tree is None else tree.source
    if text is None or period is None:
        return None
    return StatedClaim(
        jurisdiction=code,
        kind=kind,
        text=text,
        tree=tree,
        name=name or f"{kind} {text}",
        reason=reason,
        product=product,
        period=period,
        table=table,
    )
