"""The folders that chats are sorted into."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import Code, StorageError
from engine.store.chat_values import Folder
from engine.store.database import Database
from engine.store.row_mapping import column_value, new_id, record_of


class FolderStore:
    """The part of the chat store that deals with folders. Every method raises StorageError."""

    _db: Database

    def folders(self) -> list[Folder]:
        """All folders, in the user's order."""
        return [record_of(row, Folder) for row in self._db.rows("SELECT * FROM folders ORDER BY position, name, id")]

    def create_folder(self, name: str) -> Folder:
        """Make a folder at the end of the list."""
        with self._db.transaction():
            (position,) = self._db.rows("SELECT coalesce(max(position) + 1, 0) FROM folders")[0]
            folder = Folder(id=new_id(), name=name, position=position)
            self._db.write(
                "INSERT INTO folders (id, name, position) VALUES (?, ?, ?)", folder.id, column_value(name), position
            )
        return folder

    def update_folder(self, folder_id: str, *, name: str | None = None, is_collapsed: bool | None = None) -> Folder:
        """Rename, fold or unfold a folder; returns it as it is now."""
        with self._db.transaction():
            self._db.write(
                "UPDATE folders SET name = coalesce(?, name), is_collapsed = coalesce(?, is_collapsed) WHERE id = ?",
                column_value(name),
                column_value(is_collapsed),
                folder_id,
            )
            row = self._db.row("SELECT * FROM folders WHERE id = ?", folder_id)
        if row is None:
            raise StorageError(
                Code.BAD_REQUEST, "This folder no longer exists.", "It was deleted, perhaps in another window."
            )
        return record_of(row, Folder)

    def delete_folder(self, folder_id: str) -> list[str]:
        """Remove a folder, never its chats; returns the ids of those that lay in it, for restore_folder()."""
        with self._db.transaction():
            inside = [row["id"] for row in self._db.rows("SELECT id FROM chats WHERE folder_id = ?", folder_id)]
            self._db.write("DELETE FROM folders WHERE id = ?", folder_id)
        return inside

    def restore_folder(self, folder: Folder, chat_ids: Sequence[str]) -> None:
        """Undo delete_folder(): the folder with the same id, and its chats back in it."""
        with self._db.transaction():
            self._db.write(
                "INSERT OR IGNORE INTO folders (id, name, position, is_collapsed) VALUES (?, ?, ?, ?)",
                folder.id,
                column_value(folder.name),
                folder.position,
                int(folder.is_collapsed),
            )
            self._db.write_many(
                "UPDATE chats SET folder_id = ? WHERE id = ?", [(folder.id, chat_id) for chat_id in chat_ids]
            )
