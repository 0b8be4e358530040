"""Makes importing quick. Imported before PySide and everything else of the app: it saves a quarter of the start.

Collecting garbage while modules are imported finds nothing; app.startup.garbage_collection does it later.
PySide compiles its own support modules from source at each start, which takes 22 ms: here they are kept as bytecode.
PySide replaces __import__, to search the source of every module for its `__feature__` switches. There are none here.
"""

from __future__ import annotations

import builtins
import gc
import os
import sys

from app.startup.bytecode_cache import BytecodeCache

gc.disable()

# Beside Python's own, for exactly this Python; pathlib is not imported yet.
_FOLDER = os.path.join(os.path.dirname(__file__), "__pycache__")  # noqa: PTH118, PTH120
with BytecodeCache(os.path.join(_FOLDER, f"pyside.{sys.implementation.name}-{sys.hexversion:x}")):  # noqa: PTH118
    import PySide6.QtCore  # noqa: F401 - only now, and before the import that it keeps is put back

builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
