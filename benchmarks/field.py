"""The field: holdback beside other rules engines, and beside the rules by hand, in one command.

Makes an environment of its own, `.venv-peers`, with the peers of `requirements.txt` and holdback itself in it; runs
`scalar.py` (one deal at a time) and `batch.py` (a million) there, which say what they measure, against whom and what
is to be reached; and prints their tables, with versions. It ends with 1 when an answer was wrong or a ratio missed.

Run it: `python benchmarks/field.py`. The first time takes a few minutes, for the peers to be fetched.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent
ENVIRONMENT = PROJECT / ".venv-peers"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
PARTS = {
    "One deal at a time": "scalar.py",
    "A million deals": "batch.py",
}


def prepare_environment() -> None:
    """The environment of the peers, made when it is not there, with what `requirements.txt` asks for."""
    if not PYTHON.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = ["--requirement", str(HERE / "requirements.txt"), "--editable", f"{PROJECT}[frames]"]
    subprocess.run([str(PYTHON), *install, *wanted], check=True)


def main() -> int:
    """Run all parts, and say whether one of them missed something."""
    prepare_environment()
    failed = 0
    for title, file in PARTS.items():
        print(f"## {title} (`{file}`)\n", flush=True)
        failed |= subprocess.run([str(PYTHON), str(HERE / file)], check=False).returncode != 0
        print(flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
