"""The package as a user gets it: the wheel in an empty venv, `--help` at startup, the public names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import debateroom

ROOT = Path(__file__).parent.parent


def test_the_wheel_runs_a_scripted_debate_from_another_folder(tmp_path: Path) -> None:
    """Built, installed without its dependencies beside ours, and run where no checkout is: templates are inside."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    # by this environment's pip: to put another one into the venv takes longer than all else here
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    install = [*pip, "install", "-q", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    # the dependencies are the ones of this environment, found behind the new venv's own folder
    (site,) = (tmp_path / "venv").rglob("site-packages")
    (site / "borrowed.pth").write_text("\n".join(p for p in sys.path if p.endswith("site-packages")))
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    script = folder / "replies.jsonl"
    script.write_text(
        json.dumps({"default": True, "response": "POSITION: A queue.\nPROPOSAL: Build it.\nCONFIDENCE: 7"})
    )
    command = [
        str(python),
        "-m",
        "debateroom",
        "queue vs loop?",
        "-r",
        "1",
        "--model",
        f"scripted:{script}",
        "--json",
    ]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"] is True
    where = subprocess.run(
        [str(python), "-c", "import debateroom; print(debateroom.__file__)"],
        cwd=folder, capture_output=True, text=True, env=environment, check=True,
    )  # fmt: skip
    assert str(site) in where.stdout
    assert (folder / "active" / "chatroom" / "chatroom_report.md").is_file()


def test_help_imports_nothing_heavy() -> None:
    """`debateroom --help` loads no SDK, no jinja2, no rich, no pydantic."""
    program = (
        "import sys\nfrom debateroom.cli import run\n"
        "code = run(['--help'])\n"
        "heavy = {'openai', 'anthropic', 'jinja2', 'rich', 'pydantic', 'tenacity', 'httpx2', 'filelock'}\n"
        "heavy |= {'yaml', 'jsonschema'}\n"
        "print(sorted(heavy & set(sys.modules)), code, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == "[] 0\n"
    assert 'debateroom "queue vs loop?"' in done.stdout


def test_the_public_names_are_these_and_each_can_be_used() -> None:
    """The surface is pinned: a change here is a change for users."""
    assert debateroom.__all__ == [
        *("BadEvidence", "Outcome", "RefusedURL", "Room", "__version__", "arena", "check_evidence"),
        *("check_webhook_url", "classify_question"),
        *("debate", "evaluate", "read_reply", "read_trigger", "simulate", "work"),
    ]
    assert all(getattr(debateroom, name) is not None for name in debateroom.__all__)
