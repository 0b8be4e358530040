"""The shape of a chat: which message follows which, with deleted messages seen through.

A deleted message keeps its place, so that an undo only has to clear its mark, in whatever order things are undone;
for every reader its children belong to its nearest living ancestor.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class Node(msgspec.Struct, frozen=True):
    """What the shape needs to know of a message."""

    id: str
    parent_id: str | None
    last_child_id: str | None
    """The child that was used last; None for none yet."""
    is_deleted: bool


class Tree:
    """Answers questions about one chat's shape. Children are in the order in which they were made."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._nodes = {node.id: node for node in nodes}
        self._children: dict[str | None, list[str]] = {}
        for node in self._nodes.values():
            parent = node.parent_id if node.parent_id in self._nodes else None
            self._children.setdefault(parent, []).append(node.id)

    def lives(self, message_id: str | None) -> bool:
        """Whether there is such a message, and it is not deleted."""
        node = self._nodes.get(message_id or "")
        return node is not None and not node.is_deleted

    def parent(self, message_id: str) -> str | None:
        """The nearest living ancestor; None for a first message."""
        parent = self._nodes[message_id].parent_id
        while parent is not None and parent in self._nodes and self._nodes[parent].is_deleted:
            parent = self._nodes[parent].parent_id
        return parent if parent in self._nodes else None

    def children(self, parent_id: str | None) -> list[str]:
        """The living messages that follow `parent_id`; None asks for the first messages."""
        found: list[str] = []
        pending = list(reversed(self._children.get(parent_id, ())))
        while pending:
            child = pending.pop()
            if self._nodes[child].is_deleted:
                pending.extend(reversed(self._children.get(child, ())))
            else:
                found.append(child)
        return found

    def siblings(self, message_id: str) -> list[str]:
        """All versions of a living message, itself included."""
        return self.children(self.parent(message_id))

    def leaf(self, message_id: str) -> str:
        """The end of the version that was used last below a living message; the message itself if nothing follows."""
        while children := self.children(message_id):
            last = self._last_used(message_id)
            message_id = last if last in children else children[-1]
        return message_id

    def path(self, message_id: str) -> list[str]:
        """From the first message to this living one."""
        found = [message_id]
        while (parent := self.parent(found[-1])) is not None:
            found.append(parent)
        found.reverse()
        return found

    def below(self, message_id: str) -> list[str]:
        """The message and everything that follows it in any version, deleted ones included."""
        found = [message_id]
        for each in found:
            found.extend(self._children.get(each, ()))
        return found

    def head_without(self, message_id: str) -> str | None:
        """Where a chat should stand when this message, the end of what is shown, goes away."""
        versions = self.siblings(message_id)
        position = versions.index(message_id)
        if others := versions[:position][::-1] + versions[position + 1 :]:
            return self.leaf(others[0])
        return self.parent(message_id)

    def _last_used(self, message_id: str) -> str | None:
        last = self._nodes[message_id].last_child_id
        while last is not None and last in self._nodes and self._nodes[last].is_deleted:
            last = self._nodes[last].last_child_id
        return last
