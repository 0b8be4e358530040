"""The shape of a chat under any order of adding, switching, deleting and undoing."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from engine.protocol.values import Role
from engine.store.chats import ChatStore, Position


class Chatting(RuleBasedStateMachine):
    """Compares the store with a plain dictionary of parents and a set of what is deleted."""

    added = Bundle("added")
    deletions = Bundle("deletions")

    def __init__(self) -> None:
        super().__init__()
        self.store = ChatStore(None)
        self.chat_id = self.store.create_chat().id
        self.parents: dict[str, str | None] = {}
        self.gone: set[str] = set()
        self.deleted: dict[str, list[str]] = {}

    @rule(target=added)
    def answer(self) -> str:
        head = self.store.chat(self.chat_id).head_id
        message = self.store.add_message(self.chat_id, Role.USER, "x", parent_id=Position.HEAD)
        assert message.parent_id == head
        self.parents[message.id] = head
        return message.id

    @rule(target=added, parent=added | st.none())
    def branch(self, parent: str | None) -> str:
        message = self.store.add_message(self.chat_id, Role.USER, "x", parent_id=parent)
        self.parents[message.id] = parent
        return message.id

    @rule(message=added)
    def show(self, message: str) -> None:
        if message not in self.gone:
            head = self.store.set_head(message)
            assert message in [each.id for each in self.store.path(self.chat_id)]
            assert self.store.children(head) == []

    @rule(target=deletions, message=added, with_replies=st.booleans())
    def delete(self, message: str, with_replies: bool) -> str:
        if message in self.gone:
            return ""
        deletion = self.store.delete_message(message, with_replies=with_replies)
        taken = [message]
        if with_replies:
            for each in taken:
                taken += [child for child, parent in self.parents.items() if parent == each]
        self.deleted[deletion] = [each for each in taken if each not in self.gone]
        self.gone |= set(taken)
        return deletion

    @rule(deletion=consumes(deletions))
    def undo(self, deletion: str) -> None:
        if deletion:
            self.store.undo(deletion)
            self.gone -= set(self.deleted.pop(deletion))

    @invariant()
    def every_living_message_hangs_on_its_nearest_living_ancestor(self) -> None:
        found = {each.id: each.parent_id for each in self.store.messages(self.chat_id)}
        assert found == {each: self.living_parent(each) for each in self.parents if each not in self.gone}

    @invariant()
    def the_shown_path_is_whole(self) -> None:
        path = [each.id for each in self.store.path(self.chat_id)]
        head = self.store.chat(self.chat_id).head_id
        expected: list[str] = []
        at = head
        while at is not None:
            expected.insert(0, at)
            at = self.living_parent(at)
        assert path == expected
        assert head is not None or set(self.parents) <= self.gone
        assert head not in self.gone

    def living_parent(self, message: str) -> str | None:
        parent = self.parents[message]
        while parent in self.gone:
            parent = self.parents[parent]
        return parent

    def teardown(self) -> None:
        self.store.close()


Chatting.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestChatting = Chatting.TestCase
