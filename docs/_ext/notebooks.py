"""
The notebooks of `docs/notebooks/`, run: their outputs are those that the code gives today.

    python docs/_ext/notebooks.py            # run each, and compare with the outputs it has
    python docs/_ext/notebooks.py --write    # run each, and keep its outputs
    python docs/_ext/notebooks.py --install  # also run the first cell, which installs the packages

Name notebooks to run only those. It needs nbclient and ipykernel, and what the notebooks import.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"
# The tag of the first cell, which installs what the others import.
INSTALL = "install"
# What differs from run to run: the places of objects, and the ids of pictures and tables.
CHANGING = re.compile(r"0x[0-9a-f]+|\"(?:name|url)\": \"[^\"]*\"|clip\d+")


def is_install(cell):
    """Whether *cell* installs packages."""
    return INSTALL in cell.metadata.get("tags", ())


def executed(notebook, *, install):
    """Return *notebook* after a run in its folder; an error in a cell is raised."""
    cells = [cell for cell in notebook.cells if install or not is_install(cell)]
    run = nbformat.from_dict({**notebook, "cells": cells})
    for cell in run.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    NotebookClient(
        run,
        timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(FOLDER)}},
    ).execute()
    for cell in run.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not is_aside(output)]
    return run


def is_aside(output):
    """Whether *output* is about the run alone, such as Spark's progress and its own warnings."""
    return output.output_type == "stream" and output.name == "stderr"


def outputs(notebook):
    """What each cell of *notebook* but the first shows, without what differs from run to run."""
    return [
        CHANGING.sub("", "\n".join(map(shown, cell.get("outputs", ()))))
        for cell in notebook.cells
        if cell.cell_type == "code" and not is_install(cell)
    ]


def shown(output):
    """The text of an *output*; of a picture only that there is one."""
    data = output.get("data", {})
    if any("svg" in kind for kind in data):
        return "a picture"
    return output.get("text") or data.get("text/html") or data.get("text/plain", "")


def with_outputs(notebook, run):
    """Return *notebook* with the outputs of its *run*, numbered from 1."""
    results = iter(cell for cell in run.cells if not is_install(cell))
    number = 0
    for cell in notebook.cells:
        if is_install(cell):
            cell.outputs, cell.execution_count = [], None
            continue
        result = next(results)
        if cell.cell_type == "code":
            number += 1
            cell.outputs, cell.execution_count = result.outputs, number
            cell.metadata.pop("execution", None)
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = number
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def difference(notebook, run):
    """Return where *notebook* shows something else than its *run*, in words; None for nowhere."""
    for place, (stored, now) in enumerate(zip(outputs(notebook), outputs(run), strict=True), 1):
        if stored != now:
            return f"cell [{place}] shows now:\n{now}\nand showed:\n{stored}"
    return None


def main():
    """Run the notebooks; return 1 when one shows something else than it has stored."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("names", nargs="*", help="file names, such as one-deal.ipynb")
    parser.add_argument("--write", action="store_true", help="keep the outputs")
    parser.add_argument("--install", action="store_true", help="run the first cell too")
    options = parser.parse_args()
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    files = [FOLDER / name for name in options.names] or sorted(FOLDER.glob("*.ipynb"))
    failed = 0
    for file in files:
        notebook = nbformat.read(file, as_version=4)
        run = executed(notebook, install=options.install)
        if options.write:
            nbformat.write(with_outputs(notebook, run), file)
        elif changed := difference(notebook, run):
            failed = 1
            print(f"{file.name}: {changed}", file=sys.stderr)
            continue
        print(f"{file.name}: {len(outputs(run))} cells", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
