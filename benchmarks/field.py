"""All comparisons with other rules engines and with rules by hand, in one command.

Makes an environment of its own, `.venv-peers`, with the peers of `requirements.txt` and holdback;
runs `scalar.py` (one deal at a time) and `batch.py` (a million) in it, which describe what they
measure; and prints their tables, with versions. The exit code is 1 when a result was wrong or a
ratio was missed.

Run it: `python benchmarks/field.py`. The first run takes some minutes to download the peers.
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
    """Make the environment of the peers, if necessary, with the packages of `requirements.txt`."""
    if not PYTHON.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = ["--requirement", str(HERE / "requirements.txt"), "--editable", f"{PROJECT}[frames]"]
    subprocess.run([str(PYTHON), *install, *wanted], check=True)


def main() -> int:
    """Run all parts; return 1 when one of them missed a ratio."""
    prepare_environment()
    failed = 0
    for title, file in PARTS.items():
        print(f"## {title} (`{file}`)\n", flush=True)
        failed |= subprocess.run([str(PYTHON), str(HERE / file)], check=False).returncode != 0
        print(flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
