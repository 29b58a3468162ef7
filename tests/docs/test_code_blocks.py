"""Every code block of the README and of the documentation runs, in the order of its page.

- `python` runs like a cell of a notebook: its output is what it prints, and its last value.
- `output` is compared exactly with that output.
- `console` has commands after `$ `. `$ holdback ...` runs in this process, and the text after it is
  compared exactly with its output. A line `...` stands for omitted lines, and `...` after a word
  for the rest of its line.
- `toml`, `json` and `yaml` are parsed. With a caption they are written to that file, for the
  commands to read. `text` always has a caption.
- `diff` changes a file that was written before.

Any other block, and any other command, needs a marker with a reason, and an entry in `NOT_RUN`.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import shlex
import shutil
import sqlite3
import tomllib
from pathlib import Path

import pytest
import yaml
from attrs import field, frozen
from click.testing import CliRunner
from sybil import Document
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

from holdback.cli.commands import holdback
from holdback.rules import parse

ROOT = Path(__file__).parents[2]
PAGES = {
    path.relative_to(ROOT).as_posix(): path
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if "_build" not in path.parts
}

# Directives that hold no code.
WITHOUT_CODE = {
    "toctree",
    "include",
    "literalinclude",
    "public-api",
    "module-reference",
    "states",
    "architecture",
    "architecture-in-words",
    "assessment",
}

# The blocks that are not run, with the reason that the page gives.
NOT_RUN = {
    ("README.md", "sh"): "`.ci/run` runs it in a fresh environment",
    ("docs/how-to/check-a-portfolio.md", "sh"): "it needs a file of yours",
    ("docs/reference/language.md", "text"): "the grammar",
    ("docs/hosts/fastapi.md", "sh"): "it starts a server; `tests/hosts` runs the commands",
    ("docs/hosts/long-runs.md", "sh"): "it takes hours",
    ("docs/hosts/sqlite.md", "sh"): "it takes minutes; `tests/hosts` does the same",
    ("docs/how-to/run-the-conformance-suite.md", "sh"): "it takes minutes; as `tests/hosts` does",
}

# Pages that use files of the repository, and the folders that are copied for them.
FOLDERS = {
    "docs/how-to/check-a-portfolio.md": ("jurisdictions",),
    "docs/how-to/give-compliance-the-policy.md": ("jurisdictions",),
    "docs/how-to/prove-rules.md": ("jurisdictions",),
    "docs/reference/commands.md": ("jurisdictions",),
    "docs/scenarios/index.md": ("docs/scenarios",),
}

INFO = re.compile(r"(?P<info>[^\n]*)\n(?P<options>(?:[ \t]*:[\w-]+:[^\n]*\n)*)")
DIRECTIVE = re.compile(r"\{([\w-]+)\}\s*(.*)")
CAPTION = re.compile(r":caption:\s*(.+)")
MARKER = re.compile(r"<!-- not run: ([^\n]+?) -->\n+\Z")


@frozen
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    source: str
    caption: str | None = None
    not_run: str | None = None

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def blocks_of(page):
    """The blocks of *page*, in order. Fails on an unlisted directive, which might hold code."""
    document = Document(PAGES[page].read_text(encoding="utf-8"), str(PAGES[page]))
    for region in RawFencedCodeBlockLexer(info_pattern=INFO)(document):
        info, options = region.lexemes["info"].strip(), region.lexemes["options"] or ""
        directive = DIRECTIVE.match(info)
        if directive and directive[1] in WITHOUT_CODE:
            continue
        line = document.text.count("\n", 0, region.start) + 1
        assert not directive or directive[1] == "code-block", f"{page}:{line}: {info}"
        caption, marker = CAPTION.search(options), MARKER.search(document.text[: region.start])
        yield Block(
            page,
            line,
            directive[2] if directive else info,
            # A directive has an empty line under its options, which a reader does not see.
            str(region.lexemes["source"]).removeprefix("\n" if options else ""),
            caption[1] if caption else None,
            marker[1] if marker else None,
        )


@frozen
class Run:
    """A page while it runs: its namespace, its folder, and the output of its last block."""

    folder: Path
    namespace: dict = field(factory=lambda: {"__name__": "__page__"})
    printed: list = field(factory=list)

    def python(self, block):
        tree = ast.parse(block.source)
        ast.increment_lineno(tree, block.line)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            # Not with the `from __future__` of this file, which a reader does not have.
            exec(compile(tree, block.page, "exec", dont_inherit=True), self.namespace)
            if last is not None:
                value = ast.Expression(last.value)
                code = compile(value, block.page, "eval", dont_inherit=True)
                value = eval(code, self.namespace)
                if value is not None:
                    out.write(f"{value!r}\n")
        self.printed[:] = [out.getvalue()]

    def output(self, block):
        assert self.printed, f"{block.place}: nothing was run before it"
        compare(block, block.source, self.printed.pop())

    def console(self, block):
        assert block.source.startswith("$ "), f"{block.place}: expected a command after `$ `"
        for part in re.split(r"^\$ ", block.source, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            name, *arguments = shlex.split(command)
            assert name == "holdback", f"{block.place}: `{name}` is not run"
            result = CliRunner().invoke(holdback, arguments, prog_name="holdback")
            if not isinstance(result.exception, SystemExit | None):
                raise result.exception
            if shown.strip():
                compare(block, shown, result.output)
            else:
                assert result.exit_code == 0, f"{block.place}: {result.output}"

    def toml(self, block):
        self.write(block)
        for text in conditions(tomllib.loads(block.source)):
            parse(text)

    def yaml(self, block):
        yaml.safe_load(block.source)

    def json(self, block):
        self.write(block)
        json.loads(block.source)

    def text(self, block):
        assert block.caption, f"{block.place}: text is a file, or says why it is not run"
        self.write(block)

    def diff(self, block):
        """Replace the lines with `-` by those with `+`. The lines around them must match."""
        path = self.folder / block.caption
        kinds = [(line[:1], line[1:]) for line in block.source.splitlines()]
        before = "\n".join(text for kind, text in kinds if kind in " -")
        after = "\n".join(text for kind, text in kinds if kind in " +")
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{block.place}: those lines are not in {block.caption}"
        path.write_text(text.replace(before, after), encoding="utf-8")

    def write(self, block):
        if block.caption is None:
            return
        name, _, added = block.caption.partition(", ")
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        assert bool(added) == path.exists(), f"{block.place}: {name} is written once, then added to"
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n{block.source}" if added else block.source)


def conditions(document):
    """The expressions of the rule language in a TOML document, at any depth."""
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items:
        if key in ("require", "when"):
            yield value
        elif isinstance(value, dict | list):
            yield from conditions(value)


def compare(block, shown, printed):
    """Compare *printed* with the text *shown*, in which `...` stands for omitted text."""
    assert shown.strip(), f"{block.place}: nothing is shown"
    lines = shown.rstrip("\n").split("\n")
    matches = re.fullmatch("".join(map(pattern, lines)), printed.rstrip("\n") + "\n")
    assert matches, f"{block.place}: what is printed differs from what is shown\n\n{printed}"


def pattern(line):
    """The regular expression that matches a *line* of the page."""
    if line == "...":
        return r"(?:.*\n)*?"
    if re.search(r"\w\.\.\.$", line):
        return re.escape(line.removesuffix("...")) + r".+\n"
    return re.escape(line) + r" *\n"


@pytest.mark.parametrize("page", PAGES)
def test_every_block_runs(page, tmp_path, monkeypatch):
    """
    Every code block of the README and of the pages runs (decisions/documentation).
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOLDBACK_NAMESPACE", "0b9f1d3c-6f0f-4c5e-9d5b-3f8f1f7f2a11")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    for name in FOLDERS.get(page, ()):
        shutil.copytree(ROOT / name, tmp_path / name)
    run = Run(tmp_path)
    for block in blocks_of(page):
        if block.not_run is not None:
            assert NOT_RUN.get((block.page, block.language)) == block.not_run, block.place
            continue
        kind = getattr(run, block.language, None)
        assert kind is not None, (
            f"{block.place}: `{block.language}` is not run, and does not say why"
        )
        kind(block)
    for value in run.namespace.values():
        if isinstance(value, sqlite3.Connection):
            value.close()  # Python 3.13 warns of an open connection, and pages need not close one


def test_blocks_that_are_not_run_are_listed():
    """
    A block that is not run is marked with a reason; the reasons are exactly those of `NOT_RUN`.
    """
    marked = {
        (block.page, block.language): block.not_run
        for page in PAGES
        for block in blocks_of(page)
        if block.not_run is not None
    }

    assert marked == NOT_RUN


def test_the_runner_finds_a_wrong_output(tmp_path):
    """
    A wrong number, a missing line and an extra line in an output are failures.
    """
    run = Run(tmp_path)
    for shown in ("1\n3", "1", "1\n2\n3", "2\n1"):
        run.python(Block("a page", 1, "python", "print(1)\nprint(2)"))
        with pytest.raises(AssertionError, match="differs"):
            run.output(Block("a page", 5, "output", shown))
    run.python(Block("a page", 1, "python", "print(1)\n1 + 1"))
    run.output(Block("a page", 5, "output", "...\n2"))


def test_a_file_is_written_as_the_page_shows_it(tmp_path, monkeypatch):
    """
    The lines of a block with a caption are counted from the first one that a reader sees, also when
    another block adds to the file.
    """
    page = tmp_path / "page.md"
    block = "```{{code-block}} toml\n:caption: {}\n\n{}\n```\n\n"
    page.write_text(block.format("a.toml", "a = 1") + block.format("a.toml, added", "b = 2"))
    monkeypatch.setitem(PAGES, "page", page)
    for captioned in blocks_of("page"):
        Run(tmp_path).toml(captioned)

    assert (tmp_path / "a.toml").read_text() == "a = 1\n\nb = 2\n"
