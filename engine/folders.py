"""Where things lie on disk. It imports next to nothing, so that a window can be shown before anything else is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

APP_NAME = "Firstlight"
IS_CHECKOUT = (Path(__file__).resolve().parents[1] / "packaging" / "bootstrap.py").exists()
"""Whether the set-up is at hand; an app that was installed as a package has none."""


class Folders(NamedTuple):
    """The folders of one user. FIRSTLIGHT_HOME moves all of them under one folder."""

    config: Path
    data: Path
    cache: Path

    @property
    def settings_file(self) -> Path:
        return self.config / "settings.json"

    @property
    def window_file(self) -> Path:
        return self.config / "window.ini"

    @property
    def models(self) -> Path:
        return self.data / "models"

    @property
    def chats_file(self) -> Path:
        return self.data / "chats.sqlite3"

    @property
    def metrics_file(self) -> Path:
        return self.data / "metrics.sqlite3"

    @property
    def snapshots(self) -> Path:
        return self.cache / "snapshots"

    @property
    def logs(self) -> Path:
        return self.data / "logs"


def folders() -> Folders:
    """The folders of this user; nothing is created."""
    if home := os.environ.get("FIRSTLIGHT_HOME"):
        root = Path(home)
        return Folders(config=root / "config", data=root / "data", cache=root / "cache")
    import platformdirs

    dirs = platformdirs.PlatformDirs(APP_NAME.lower(), appauthor=False)
    return Folders(config=Path(dirs.user_config_dir), data=Path(dirs.user_data_dir), cache=Path(dirs.user_cache_dir))
