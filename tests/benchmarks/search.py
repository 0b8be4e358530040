"""Full-text search over 100,000 messages in English and Chinese: how long each kind of query takes.

python tests/benchmarks/search.py [--messages N] [--json FILE|-]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from engine.protocol.values import Role
from engine.store.chat_values import Chat, StoredMessage
from engine.store.chats import ChatStore, open_store
from engine.store.row_mapping import new_id

MESSAGES_PER_CHAT = 50
N_WORDS = 20_000
ROUNDS = 9
LETTERS = "etaoinshrdlucmfwypvbgk"
QUERIES = {
    "common_word": "the",
    "one_letter": "t",
    "two_letters": "th",
    "two_words": "the model",
    "rare_word": "zyzzyva",
    "phrase": '"the model"',
    "cjk_two": "模型",
    "cjk_one": "型",
    "cjk_long": "语言模型推理",
    "nothing": "qqqqqqqq",
    "symbols": "→",
    "hostile": '"((NEAR AND* -^ OR "',
}


def vocabulary(random_source: random.Random) -> list[str]:
    words = {"the", "model"}
    while len(words) < N_WORDS:
        words.add("".join(random_source.choices(LETTERS, k=random_source.randint(2, 10))))
    return sorted(words, key=lambda word: (word not in ("the", "model"), word))


def english(random_source: random.Random, words: list[str]) -> str:
    """About 160 words, the first ones of the vocabulary far more often than the last, as in any language."""
    picked = [words[int(N_WORDS ** random_source.random()) - 1] for _ in range(random_source.randint(20, 300))]
    return " ".join(picked)


def chinese(random_source: random.Random) -> str:
    characters = [chr(0x4E00 + int(3500 ** random_source.random())) for _ in range(random_source.randint(20, 200))]
    if random_source.random() < 0.2:
        characters.insert(random_source.randrange(len(characters)), "语言模型推理")
    return "".join(characters)


def fill(store: ChatStore, n_messages: int) -> None:
    source = random.Random(7)
    words = vocabulary(source)
    for number in range(n_messages // MESSAGES_PER_CHAT):
        at = 1_700_000_000.0 + number * 3600
        chat_id = new_id()
        messages: list[StoredMessage] = []
        for i in range(MESSAGES_PER_CHAT):
            text = chinese(source) if source.random() < 0.3 else english(source, words)
            if number == 100 and i == 0:
                text += " zyzzyva"
            messages.append(
                StoredMessage(
                    id=new_id(),
                    chat_id=chat_id,
                    parent_id=messages[-1].id if messages else None,
                    role=Role.ASSISTANT if i % 2 else Role.USER,
                    content=text,
                    created_at=at + i,
                )
            )
        title = english(source, words)[:40]
        store.add_chat(Chat(id=chat_id, title=title, created_at=at, updated_at=at, head_id=messages[-1].id), messages)


def measure(store: ChatStore, text: str) -> dict[str, float]:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        n_hits = len(store.search(text))
        times.append((time.perf_counter() - start) * 1000)
    return {"median_ms": round(statistics.median(times), 2), "max_ms": round(max(times), 2), "n_hits": n_hits}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--json", default="-", metavar="FILE")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chats.sqlite3"
        store = ChatStore(path)
        start = time.perf_counter()
        fill(store, arguments.messages)
        fill_s = time.perf_counter() - start
        store.close()
        start = time.perf_counter()
        store, _ = open_store(path)
        open_ms = (time.perf_counter() - start) * 1000
        queries = {name: measure(store, text) for name, text in QUERIES.items()}
        start = time.perf_counter()
        store.check()
        check_s = time.perf_counter() - start
        size_mb = path.stat().st_size / 1e6
        store.close()
    result = {
        "n_messages": arguments.messages,
        "size_mb": round(size_mb, 1),
        "fill_s": round(fill_s, 1),
        "open_ms": round(open_ms, 2),
        "check_s": round(check_s, 2),
        "search_worst_ms": max(each["max_ms"] for each in queries.values()),
        "search_median_worst_ms": max(each["median_ms"] for each in queries.values()),
        "queries": queries,
    }
    text = json.dumps(result, ensure_ascii=False)
    if arguments.json == "-":
        print(text)
    else:
        Path(arguments.json).write_text(text, encoding="utf-8")
        print(f"worst {result['search_worst_ms']} ms", file=sys.stderr)


if __name__ == "__main__":
    main()
