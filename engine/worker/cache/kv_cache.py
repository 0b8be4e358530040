"""The KV cache: one slot per sequence with an exact mirror of its tokens, and the search for reusable prefixes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.metrics import CacheSource
from engine.translatable import Translatable, phrase, sentence
from engine.worker.cache.slots import Checkpoint, Owner, Slot, common_prefix
from engine.worker.cache.snapshot_file import SavedState, chat_hash
from engine.worker.cache.snapshots import Snapshot, SnapshotStore
from engine.worker.llama import Context, StateKind

SAVE_MIN_TOKENS = 64
"""Shorter sequences are prefilled faster than they are saved and found again."""
RESTORE_MIN_GAIN = 64
"""A snapshot must save this many more tokens than the best slot before it is restored."""
LEAN_MIN_TOKENS = 256
"""Idle chats leave the cache when they hold this many tokens together."""
MAX_CHECKPOINTS = 8
SAVED_CHECKPOINTS = 2
"""The newest go into a snapshot: where the last message can be edited, and where its answer can be made again."""


@dataclass(frozen=True, slots=True)
class CachePlacement:
    """Where a prompt goes, and how much of it is there already: all of it where the slot has the logits, too."""

    slot: Slot
    n_cached: int
    source: CacheSource
    miss_reason: Translatable = ""
    n_prepared: int = 0


@dataclass(frozen=True, slots=True)
class _Match:
    n_usable: int
    n_common: int
    slot: Slot | None = None
    snapshot: Snapshot | None = None
    checkpoint: Checkpoint | None = None


class KvCache:
    """All slots of a context. Every change of llama.cpp's memory goes through here, so that the mirrors stay true.

    Where a cached prefix is found, at least one token is left to decode, whose logits begin the answer; a slot that
    holds the whole prompt and these logits leaves none.
    """

    def __init__(self, context: Context, snapshots: SnapshotStore) -> None:
        model = context.model
        self._context = context
        self._snapshots = snapshots
        self._tick = 0
        self.slots = [Slot(index) for index in range(context.n_sequences)]
        self._n_swa = 0 if context.options.swa_full else model.n_swa
        self._is_recurrent = model.is_recurrent or model.is_hybrid
        self.can_cut = not self._is_recurrent and self._n_swa == 0

    # Finding and placing.

    def take(
        self, tokens: list[int], owner: Owner, *, chat_id: str, adapter: str, reuse: bool
    ) -> CachePlacement | None:
        """Give a prompt a slot with as much of it as is cached anywhere; None when every slot is in use."""
        found = self._best(tokens, adapter) if reuse else _Match(0, 0)
        # A prewarm's guess at the text is no history.
        own = [s.tokens for s in self.slots if s.chat_id == chat_id != "" and s.is_idle and not s.is_guess]
        before = max(own, key=len, default=[])
        n_changed_at = common_prefix(before, tokens)
        n_before = len(before)
        slot = found.slot
        is_in_place = slot is not None and slot.is_idle and self._may_cut(slot, found, chat_id)
        if slot is None or not is_in_place:
            target = self._free_slot(keep=slot, is_prompt=bool(found.n_usable))
            if target is None and slot is not None and slot.is_idle:
                target = slot
            if target is None:
                return None
        else:
            target = slot
        n_cached, source, prepared = 0, CacheSource.NONE, 0
        if found.snapshot is not None:
            n_cached = self._restore(found.snapshot, target, found.n_usable)
            source = found.snapshot.source if n_cached else CacheSource.NONE
        elif slot is not None and found.n_usable:
            prepared = slot.n_prepared
            if target is not slot:
                self._share(slot, target)
            n_cached = self._rewind(target, found.n_usable, found.checkpoint)
            if target is not slot and n_cached and self._n_swa and found.checkpoint is None:
                n_cached = self._own_window(target)
            source = CacheSource.SLOT if n_cached else CacheSource.NONE
        if not n_cached:
            self.clear(target)
        self._make_lean(target)
        target.owner = owner
        owner.slot = target
        target.chat_id, target.adapter = chat_id, adapter
        self.touch(target)
        reason: Translatable = phrase("Cache reuse is switched off for this request.")
        if reuse:
            reason = self._miss_reason(found, n_cached, chat_id)
            if not reason and n_cached <= n_changed_at < min(n_before, len(tokens) - 1):
                reason = sentence(
                    "The history was changed after {n:,} of {of:,} cached tokens.", n=n_changed_at, of=n_before
                )
        return CachePlacement(target, n_cached, source, reason, min(prepared, n_cached))

    def _best(self, tokens: list[int], adapter: str) -> _Match:
        limit = len(tokens) - 1
        best = _Match(0, 0)
        for slot in self.slots:
            if slot.adapter != adapter or not slot.tokens:
                continue
            common = common_prefix(slot.tokens, tokens)
            if common > limit and (slot.logits is None or common < len(slot.tokens)):
                common = limit
            usable, checkpoint = self._usable(slot, common)
            is_better = (usable, slot.is_idle, -len(slot.tokens)) > (
                best.n_usable,
                best.slot is not None and best.slot.is_idle,
                -len(best.slot.tokens) if best.slot else 0,
            )
            if usable and is_better:
                # What a prewarm has guessed beyond a checkpoint is no history that was lost.
                best = _Match(usable, usable if slot.is_guess else common, slot, None, checkpoint)
            elif common > best.n_common and not best.n_usable:
                best = _Match(0, common)
        for snapshot in self._snapshots.snapshots(adapter):
            common = min(common_prefix(snapshot.tokens, tokens), limit)
            usable = self._usable_of(snapshot, common)
            if usable >= best.n_usable + RESTORE_MIN_GAIN or (best.snapshot and usable > best.n_usable):
                best = _Match(usable, common, None, snapshot)
        return best

    def _usable(self, slot: Slot, common: int) -> tuple[int, Checkpoint | None]:
        if self.can_cut or common == len(slot.tokens) or common <= 0:
            return max(0, common), None
        if not self._is_recurrent and self._context.position_min(slot.index) <= max(0, common - self._n_swa + 1):
            return common, None
        fitting = [c for c in slot.checkpoints if c.n_tokens <= common]
        if fitting:
            newest = max(fitting, key=lambda c: c.n_tokens)
            return newest.n_tokens, newest
        return 0, None

    def _usable_of(self, snapshot: Snapshot, common: int) -> int:
        n_tokens = len(snapshot.tokens)
        is_whole = self.can_cut or common == n_tokens
        if is_whole or (not self._is_recurrent and n_tokens <= self._n_swa):
            return max(0, common)
        return max((n for n in snapshot.checkpoints if n <= common), default=0)

    def _may_cut(self, slot: Slot, found: _Match, chat_id: str) -> bool:
        """Whether a slot's tokens beyond the match may go: nothing is lost, or it is the same chat's, or no chat's."""
        return found.n_usable == len(slot.tokens) or slot.chat_id in ("", chat_id)

    def _miss_reason(self, found: _Match, n_cached: int, chat_id: str) -> Translatable:
        """Why less was cached than there was in common; empty when everything was."""
        if n_cached < found.n_usable:
            return phrase("The saved cache could not be put back.")
        if n_cached < found.n_common:
            return sentence(
                "One token was the same, but this model's {what} cannot be cut back."
                if found.n_common == 1
                else "{n:,} tokens were the same, but this model's {what} cannot be cut back, "
                "and the nearest checkpoint holds {n_cached:,}.",
                n=found.n_common,
                what=sentence("sliding window of {window:,} tokens", window=self._n_swa)
                if not self._is_recurrent
                else phrase("recurrent state"),
                n_cached=n_cached,
            )
        refusal = self._snapshots.refusals.pop(chat_hash(chat_id), "") if chat_id and not n_cached else ""
        return sentence("The saved cache of this chat was not used: {refusal}.", refusal=refusal) if refusal else ""

    # Changing.

    def touch(self, slot: Slot) -> None:
        self._tick += 1
        slot.used_at = self._tick

    def release(self, slot: Slot) -> None:
        """The request is done with the slot; its tokens stay for the next turn."""
        slot.owner = None
        if not slot.is_guess:
            slot.n_answered = len(slot.tokens)
        self.touch(slot)
        if not slot.tokens:
            self.clear(slot)

    def append(self, slot: Slot, tokens: Iterable[int]) -> None:
        """These tokens have been evaluated."""
        slot.tokens.extend(tokens)
        slot.logits = None

    def cut(self, slot: Slot, n_tokens: int) -> None:
        """Forget what follows the first `n_tokens`; all of it where the memory cannot be cut there."""
        self._rewind(slot, n_tokens, None)

    def clear(self, slot: Slot) -> None:
        """Forget a slot's tokens."""
        self._context.remove(slot.index, -1)
        slot.keep(0)
        slot.answers = ()

    def resync(self, slot: Slot, attempted: Sequence[int]) -> None:
        """After an abort: the mirror of `slot`, whose next tokens were `attempted`, as far as they were evaluated."""
        n_done = self._context.position_max(slot.index) + 1
        expected = [*slot.tokens, *attempted]
        if self._is_recurrent or n_done > len(expected) or n_done < len(slot.tokens):
            # A recurrent state may be half written, and there is no older one.
            self._rewind_to_checkpoint(slot)
            return
        self.append(slot, expected[len(slot.tokens) : n_done])
        if self._n_swa and self._context.position_min(slot.index) > max(0, n_done - self._n_swa + 1):
            self._rewind_to_checkpoint(slot)

    def checkpoint(self, slot: Slot) -> None:
        """Remember the part of the state that cannot be cut, where the model needs it."""
        if self.can_cut or not slot.tokens or any(c.n_tokens == len(slot.tokens) for c in slot.checkpoints):
            return
        state = self._context.read_state(slot.index, StateKind.PARTIAL)
        slot.checkpoints.append(Checkpoint(len(slot.tokens), state))
        if len(slot.checkpoints) > MAX_CHECKPOINTS:
            # The first marks the system prompt. Words that are being written are the likeliest to be gone beyond, then
            # what is oldest.
            written = [n for n, each in enumerate(slot.checkpoints) if n and each.n_tokens > slot.n_answered]
            del slot.checkpoints[written[0] if len(written) > 1 else 1]

    def evict_one(self, keep: Slot | None = None) -> bool:
        """Free the cells of the least useful slot that nobody runs in; False when there is none."""
        idle = [s for s in self.slots if s.tokens and s is not keep and (s.owner is None or s.owner.can_be_parked)]
        if not idle:
            return False
        slot = min(idle, key=lambda s: (s.owner is not None, s.used_at))
        self._evict(slot)
        return True

    def drop(self, chat_id: str = "") -> None:
        """Forget a chat in every slot and snapshot, or everything for an empty id; running requests go on."""
        for slot in self.slots:
            if slot.is_idle and (not chat_id or slot.chat_id == chat_id):
                self.clear(slot)
                slot.chat_id = ""
        self._snapshots.drop(chat_id)

    @property
    def has_unsaved(self) -> bool:
        """An idle chat has changed since it was saved to disk."""
        return self._snapshots.has_disk and any(self._is_unsaved(slot) for slot in self.slots)

    def save_idle(self) -> bool:
        """Save one such chat; False when there is none."""
        if self._snapshots.has_disk:
            for slot in self.slots:
                if self._is_unsaved(slot):
                    self._save(slot)
                    slot.n_saved = len(slot.tokens)
                    return True
        return False

    # Below: one slot's memory.

    def _free_slot(self, keep: Slot | None, *, is_prompt: bool) -> Slot | None:
        """An empty slot, else the least recently used idle one, else one whose request is parked."""
        for slot in self.slots:
            if slot.is_idle and not slot.tokens:
                return slot
        idle = [s for s in self.slots if s is not keep and (s.is_idle or (s.owner and s.owner.can_be_parked))]
        if not idle:
            return None
        slot = min(idle, key=lambda s: (not s.is_idle, s.used_at))
        self._evict(slot)
        return slot

    def _make_lean(self, target: Slot) -> None:
        """Idle chats leave for a snapshot: every step attends over all used cells of the unified cache, whoever's."""
        idle = [s for s in self.slots if s is not target and s.is_idle and len(s.tokens) >= SAVE_MIN_TOKENS]
        if not self.can_cut or sum(len(slot.tokens) for slot in idle) < LEAN_MIN_TOKENS:
            return
        for slot in idle:
            if slot.n_saved == len(slot.tokens) or self._snapshots.can_hold(self._context.state_size(slot.index)):
                self._evict(slot)

    def _evict(self, slot: Slot) -> None:
        self._save(slot)
        if slot.owner is not None:
            slot.owner.slot = None
            slot.owner = None
        self.clear(slot)
        slot.chat_id = ""

    def _is_unsaved(self, slot: Slot) -> bool:
        is_new = slot.n_answered > slot.n_saved and slot.n_answered >= SAVE_MIN_TOKENS
        return slot.is_idle and bool(slot.chat_id) and is_new

    def _save(self, slot: Slot) -> None:
        if slot.n_saved == len(slot.tokens) or len(slot.tokens) < SAVE_MIN_TOKENS:
            return
        saved = SavedState(self._context.read_state(slot.index), tuple(slot.checkpoints[-SAVED_CHECKPOINTS:]))
        self._snapshots.put(list(slot.tokens), saved, chat_id=slot.chat_id, adapter=slot.adapter, answers=slot.answers)

    def _share(self, source: Slot, target: Slot) -> None:
        """Let `target`, which is empty, hold the same cells as `source`."""
        self._context.share(source.index, target.index, -1)
        target.tokens = list(source.tokens)
        target.checkpoints = list(source.checkpoints)
        target.answers = source.answers
        target.logits = source.logits

    def _own_window(self, slot: Slot) -> int:
        """Give a slot its own copy of the sliding window; returns its tokens, 0 when there was no room.

        Cells that two sequences share are never reused, also when the window has left them behind: a long shared prefix
        would block the window's small cache. Writing a state back keeps only what the window still sees.
        """
        state = self._context.read_state(slot.index, StateKind.PARTIAL)
        if not self._context.write_state(slot.index, state, StateKind.PARTIAL):
            self.clear(slot)
        return len(slot.tokens)

    def _restore(self, snapshot: Snapshot, slot: Slot, n_usable: int) -> int:
        """Put a snapshot into an empty slot and cut it to the usable part; returns the tokens that are there."""
        saved = self._snapshots.load(snapshot)
        if saved is None:
            return 0
        while not self._context.write_state(slot.index, saved.whole):
            self._context.remove(slot.index, -1)
            if not self.evict_one(keep=slot):
                return 0
        slot.tokens = list(snapshot.tokens)
        slot.checkpoints = list(saved.checkpoints)
        slot.answers = snapshot.answers
        if self._context.position_max(slot.index) != len(slot.tokens) - 1:
            self._snapshots.forget(snapshot)
            return 0
        slot.n_answered = len(slot.tokens)
        slot.n_saved = len(slot.tokens) if snapshot.path is not None else 0
        return self._rewind(slot, *self._usable(slot, n_usable))

    def _rewind(self, slot: Slot, n_tokens: int, checkpoint: Checkpoint | None) -> int:
        """Cut a slot to its first tokens; returns how many are left, 0 where the memory would not have it."""
        if n_tokens >= len(slot.tokens) and checkpoint is None:
            return len(slot.tokens)
        if n_tokens <= 0:
            self.clear(slot)
            return 0
        usable, _ = (n_tokens, None) if checkpoint else self._usable(slot, n_tokens)
        if usable < n_tokens:
            self.clear(slot)
            return 0
        is_done = True
        if checkpoint:
            is_done = self._context.write_state(slot.index, checkpoint.state, StateKind.PARTIAL)
        is_done = is_done and self._context.remove(slot.index, n_tokens)
        if not is_done or self._context.position_max(slot.index) != n_tokens - 1:
            self.clear(slot)
            return 0
        slot.keep(n_tokens)
        return n_tokens

    def _rewind_to_checkpoint(self, slot: Slot) -> None:
        """Go back to the newest checkpoint, or to nothing."""
        if slot.checkpoints:
            newest = slot.checkpoints[-1]
            self._rewind(slot, newest.n_tokens, newest)
        else:
            self.clear(slot)
