#!/usr/bin/env python3
"""Set up Firstlight on this machine and run it, or check and test it. Needs nothing but Python 3.11.

python3 packaging/bootstrap.py run [-- ARGUMENTS OF THE APP]
python3 packaging/bootstrap.py test [ARGUMENTS OF PYTEST]
python3 packaging/bootstrap.py setup
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from setup_engine import Options

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
STAMP = "firstlight-setup.json"

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit("Firstlight needs Python 3.11 or newer; run this with a newer one, for example python3.12.")


def main(arguments: list[str]) -> int:
    options, rest = parse(arguments)
    if options.command != "test" and rest and rest[0] != "--":
        print(f"Unknown argument {rest[0]}. Arguments of the app follow after --.", file=sys.stderr)
        return 2
    rest = rest[1:] if rest[:1] == ["--"] else rest
    venv = ROOT / ".venv"
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if options.command == "run" and is_fresh(venv, options):
        return start(python, rest)

    from setup_steps import StepFailed

    try:
        set_up(venv, options)
        if options.command == "test":
            from setup_checks import run_checks

            return run_checks(ROOT, venv, rest, has_gpu_part=options.gpu, engine_options=engine_options(options))
    except StepFailed as error:
        print(f"\n  {error.what}\n    {error.advice}", file=sys.stderr)
        return 1
    except OSError as error:
        advice = "Free some space or change its permissions, then run the same command again."
        print(f"\n  The set-up stopped: {error}.\n    {advice}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\n  Stopped. Run the same command again to continue.", file=sys.stderr)
        return 130
    return start(python, rest) if options.command == "run" else 0


def parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(prog="bootstrap.py", description=__doc__.splitlines()[0], allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    common = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    common.add_argument(
        "--backend",
        default=os.environ.get("FIRSTLIGHT_BACKEND") or "auto",
        choices=["auto", "cpu", "vulkan", "cuda", "metal"],
        help="the build of llama.cpp; auto looks at the hardware (default)",
    )
    common.add_argument(
        "--cuda-arch", default="", metavar="N;N", help="CUDA architectures, such as 89 (default: the cards')"
    )
    common.add_argument(
        "--cuda-all-kv",
        action="store_true",
        help="CUDA: flash attention for all pairs of KV types; a third more to compile, 189 files instead of 144",
    )
    common.add_argument(
        "--stock", action="store_true", help="llama.cpp without the patches that only make it faster, to compare with"
    )
    commands.add_parser("setup", parents=[common], allow_abbrev=False, help="set up, and stop there")
    commands.add_parser("run", parents=[common], allow_abbrev=False, help="set up what is missing and open the window")
    test = commands.add_parser("test", parents=[common], allow_abbrev=False, help="set up, check and test")
    test.add_argument("--gpu", action="store_true", help="also test offloading, on Mesa's software Vulkan driver")
    return parser.parse_known_args(arguments)


def set_up(venv: Path, options: argparse.Namespace) -> None:
    """Every step in order; what is already done is not done again."""
    from setup_backend import choose, look
    from setup_engine import install_engine
    from setup_environment import install_packages, link_checkout
    from setup_model import bring_starter
    from setup_steps import Console, Places, user_cache
    from setup_system import install_needs

    console = Console()
    places = Places(ROOT, venv, user_cache())
    (venv / STAMP).unlink(missing_ok=True)
    install_needs(console, places)
    install_packages(console, places)
    link_checkout(places)
    facts = look()
    record = install_engine(console, places, choose(facts, options.backend), facts, engine_options(options))
    if record.backend == "vulkan" and not facts.has_gpu:
        console.note("There is no GPU: the Vulkan build computes on the processor here.")
    bring_starter(console, places)
    (venv / STAMP).write_text(json.dumps(stamp(venv, options)), encoding="utf-8")


def engine_options(options: argparse.Namespace) -> Options:
    from setup_engine import Options

    return Options(options.cuda_arch, options.cuda_all_kv, options.stock)


def stamp(venv: Path, options: argparse.Namespace) -> dict[str, object]:
    """What the finished set-up rests on; when all of it is unchanged there is nothing to do."""
    digest = hashlib.sha256()
    sources = [file for pattern in ("*.py", "*.lock", "patches/*.patch") for file in HERE.glob(pattern)]
    for file in sorted([*sources, ROOT / "pyproject.toml"]):
        digest.update(file.read_bytes())
    starter = next((ROOT / ".cache" / "models").glob("SmolLM2-*.Q8_0.gguf"), None)
    return {
        "set_up": digest.hexdigest(),
        "python": sys.version,
        "place": str(venv),
        "backend": [options.backend, options.cuda_arch, options.cuda_all_kv, options.stock],
        "starter": starter.stat().st_size if starter else 0,
    }


def is_fresh(venv: Path, options: argparse.Namespace) -> bool:
    try:
        return bool(json.loads((venv / STAMP).read_text(encoding="utf-8")) == stamp(venv, options))
    except (OSError, ValueError):
        return False


def start(python: Path, arguments: list[str]) -> int:
    """Become the app; its exit status is ours."""
    command = [str(python), "-m", "app", *arguments]
    if os.name != "nt":
        sys.stdout.flush()
        os.execv(python, command)
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
