"""Makes importing quick. Imported before PySide and everything else of the app: it saves a fifth of the start.

Collecting garbage while modules are imported finds nothing; app.garbage sees to it when the window is up.
PySide replaces __import__, to search the source of every module for its `__feature__` switches. There are none here.
"""

from __future__ import annotations

import builtins
import gc

gc.disable()

import PySide6.QtCore  # noqa: E402, F401 - only now, and before the import that it keeps is put back

builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
