"""The hub token, kept in the system's keyring and nowhere else."""

from __future__ import annotations

import logging
import os

import keyring
from keyring.errors import KeyringError

from engine.errors import Code, StorageError

_log = logging.getLogger(__name__)

_SERVICE, _USER = "firstlight", "hub-token"


def read_token() -> str:
    """The user's token, or HF_TOKEN of the environment, or none. Asks the system: use a thread."""
    try:
        stored = keyring.get_password(_SERVICE, _USER)
    except KeyringError as error:
        _log.info("no keyring: %s", error)
        stored = None
    return stored or os.environ.get("HF_TOKEN", "")


def save_token(token: str) -> None:
    """Keep `token`; an empty one is deleted. Raises StorageError where the system has no keyring."""
    try:
        if token:
            keyring.set_password(_SERVICE, _USER, token)
        elif keyring.get_password(_SERVICE, _USER) is not None:
            keyring.delete_password(_SERVICE, _USER)
    except KeyringError as error:
        raise StorageError(
            Code.READ_ONLY,
            "This system has no keyring that could keep the token.",
            "Set the environment variable HF_TOKEN before starting Firstlight instead.",
        ) from error
