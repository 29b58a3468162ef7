"""XML of strangers as elements that know their lines, read by `expat` without a document type.

Entities, which can grow without end or name other files, are declared in a document type. DMN needs
none, so a file with one is refused at its first line, before anything in it is expanded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from xml.parsers import expat

from attrs import define, field

from holdback.errors import ErrorDetail, InvalidDocument

MOST_BYTES: Final = 2_000_000
# A decision within a decision is some ten deep.
MOST_LEVELS: Final = 100
_HINT: Final = "save it again as DMN from the editor that it comes from"


@define
class Element:
    """An element of XML: its tag and its attributes without namespaces, and where it begins."""

    tag: str
    attributes: dict[str, str]
    line: int
    namespace: str
    children: list[Element] = field(factory=list)
    text: str = ""

    def all(self, tag: str) -> Iterator[Element]:
        """The children with this *tag*."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """The first child with this *tag*."""
        return next(self.all(tag), None)

    def said(self, tag: str = "text") -> str:
        """The text of the first child with this *tag*, without blanks around it."""
        child = self.first(tag)
        return "" if child is None else child.text.strip()


def read_xml(body: bytes, file: str) -> Element:
    """
    Return the outermost element of *body*, the bytes of *file*.

    Raises:
        InvalidDocument: it is not XML, or more than a person can have drawn.
    """

    def refuse(code: str, message: str, hint: str = _HINT) -> InvalidDocument:
        line = parser.CurrentLineNumber
        error = ErrorDetail(code=code, message=message, hint=hint, file=file, line=line)
        return InvalidDocument([error])

    def begin(name: str, attributes: dict[str, str]) -> None:
        if len(held) > MOST_LEVELS:
            raise refuse("too_large", f"there are more than {MOST_LEVELS} elements in each other")
        namespace, _, tag = name.rpartition(" ")
        own = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        element = Element(tag, own, parser.CurrentLineNumber, namespace)
        held[-1].children.append(element)
        held.append(element)

    def end(_: str) -> None:
        held.pop()

    def characters(text: str) -> None:
        held[-1].text += text

    def document_type(*_: Any) -> None:
        raise refuse("not_allowed", "the file has a document type, `<!DOCTYPE`, and DMN has none")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    held = [Element("", {}, 1, "")]
    top = held[0]
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = document_type
    if len(body) > MOST_BYTES:
        raise refuse("too_large", f"a file of DMN has at most {MOST_BYTES} bytes")
    try:
        parser.Parse(body, True)  # noqa: FBT003  # it is the last part
    except expat.ExpatError as error:
        why = expat.ErrorString(error.code)
        raise refuse("malformed", f"the file is not XML: {why}") from None
    except (LookupError, ValueError):
        raise refuse("malformed", "the encoding of the file is not known", "use UTF-8") from None
    return top.children[0]
