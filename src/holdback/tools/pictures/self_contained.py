"""A picture as a text of its own: SVG for a report, a page of HTML; and a chart in the dark."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from typing import Any, Final, Literal, TypeAlias

from holdback.errors import InvalidDocument
from holdback.tools.pictures.layout import Spec, altair, missing_extra
from holdback.tools.pictures.palette import DARK

Theme: TypeAlias = Literal["light", "dark", "auto"]
THEMES: Final = ("light", "dark", "auto")

# The data of a chart, whose texts are not colours.
_DATA: Final = frozenset({"data", "datasets"})
# What has a colour, besides the ranges of scales.
_COLOURED: Final = frozenset(
    {"background", "fill", "stroke", "color", "subtitleColor", "labelColor", "titleColor"}
    | {"gridColor", "domainColor", "tickColor"}
)
# The picture as a whole has a name and a description, so its parts need none.
_TAG: Final = re.compile(r"<[a-z][^>]*>")
_ROLE: Final = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
# Stands for `<` while a page is made: texts of data have no such character.
_STANDS_FOR_LESS: Final = "\ue0ff"
# What gives an element a name that another picture on the same page may have too.
_NAMED: Final = re.compile(r'(?<= id=")[^"]+|(?<=url\(#)[^)]+')


def dark(chart: Any) -> Any:
    """Return *chart* in the colours for a dark page."""
    return altair().Chart.from_dict(_dark(chart.to_dict()))


def svg(chart: Any, theme: Theme = "auto") -> str:
    """
    Return *chart* as SVG that needs nothing else: light, dark, or following the reader's screen.

    With `"auto"` it is light in print, and in every program that shows SVG without styles. The
    picture is as wide as the chart, and narrower where the page is.

    Raises:
        InvalidDocument: there is no such theme.
    """
    if theme not in THEMES:
        listed = ", ".join(f"`{name}`" for name in THEMES)
        raise InvalidDocument.of("wrong_value", f"expected one of {listed}", path="$.theme")
    return svg_of(chart.to_dict(), theme)


def svg_of(document: Spec, theme: Theme = "auto") -> str:
    """Return the picture of a *document* as `svg` returns that of a chart."""
    drawn = _converter().vegalite_to_svg(
        _dark(document) if theme == "dark" else document, allowed_base_urls=[]
    )
    # Two pictures on one page must not share ids: the prefix is of the picture's own content.
    prefix = f"p{sha256(drawn.encode()).hexdigest()[:8]}-"
    drawn = _NAMED.sub(lambda name: prefix + name[0], drawn)
    drawn = _TAG.sub(lambda tag: _ROLE.sub("", tag[0]), drawn)
    label = escape(str(document.get("description", "")), quote=True)
    opening = f'<svg role="img" aria-label="{label}" style="max-width:100%;height:auto" '
    style = _FOLLOWS_THE_SCREEN if theme == "auto" else ""
    head, _, rest = drawn.removeprefix("<svg ").partition(">")
    return f"{opening}{head}>{style}{rest}"


def html(chart: Any) -> str:
    """
    Return *chart* as a page of HTML with all the JavaScript that it needs, about 1 MB.

    The page asks the network for nothing.
    """
    document = _with_stand_ins(chart.to_dict())
    page = str(_converter().vegalite_to_html(document, bundle=True))
    return page.replace(_STANDS_FOR_LESS, "\\u003c")


def _with_stand_ins(part: Any) -> Any:
    """Return a *part* of a chart in which no text can end the script that it is in."""
    if isinstance(part, Mapping):
        return {_with_stand_ins(name): _with_stand_ins(cell) for name, cell in part.items()}
    if isinstance(part, list):
        return [_with_stand_ins(cell) for cell in part]
    return part.replace("<", _STANDS_FOR_LESS) if isinstance(part, str) else part


def _converter() -> Any:
    try:
        import vl_convert  # noqa: PLC0415  # only a picture needs it
    except ModuleNotFoundError as missing:
        raise missing_extra(missing) from None
    return vl_convert


def _dark(part: Any) -> Any:
    """Return a *part* of a chart with its colours for a dark page."""
    if isinstance(part, Mapping):
        return {
            name: DARK.get(cell, cell)
            if name in _COLOURED and isinstance(cell, str)
            else [DARK.get(colour, colour) for colour in cell]
            if name == "range" and isinstance(cell, list)
            else cell
            if name in _DATA
            else _dark(cell)
            for name, cell in part.items()
        }
    return [_dark(cell) for cell in part] if isinstance(part, list) else part


def _dark_rules() -> str:
    rules = "".join(
        f'svg.marks [{name}="{light}"]{{{name}:{on_dark}}}'
        for light, on_dark in DARK.items()
        for name in ("fill", "stroke")
    )
    return f"<style>@media screen and (prefers-color-scheme:dark){{{rules}}}</style>"


_FOLLOWS_THE_SCREEN: Final = _dark_rules()
