"""The processes that tokens pass through have nothing old left to search for garbage."""

import subprocess
import sys

_COUNT = "import gc; n = sum(len(gc.get_objects(generation=g)) for g in range(3)); print(gc.get_freeze_count(), n)"


def test_what_is_loaded_is_not_searched_again() -> None:
    code = f"import engine.api.http_server; from engine import gc_freeze; gc_freeze.keep_what_is_loaded(); {_COUNT}"
    n_kept, n_searched = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.split()
    assert int(n_kept) > 10_000
    assert int(n_searched) < 1_000
