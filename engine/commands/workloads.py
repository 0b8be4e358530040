"""The texts that benchmarks work on: made up, the same on every machine, and each as long as it is asked to be."""

from __future__ import annotations

import random
import re

STORY = "Tell a long story about a ship, its crew, and an island that is on no map. Describe every day of the voyage."
COUNTING = "1, 2, 3, 4, 5,"
"""Every model goes on with it for long; a story may end."""

_WORDS = re.findall(
    r"\w+",
    "the river bank was quiet when light came over hills and people walked to market with bread fruit cloth tools "
    "while children played near water birds sang in trees old men talked about rain harvest price of wood stone iron "
    "a house by road had green door small garden wide window where woman wrote letters to her brother far away at sea",
)
_SENTENCE_WORDS = 14

_ORDER = """Order 4711 was placed by Alice Martin on Monday. Alice asked for twelve blue chairs and three oak tables.
The chairs are to be delivered to Alice at the warehouse in Leeds, and the tables to her office in York.
Alice pays by invoice within thirty days. If a chair is damaged, Alice may return it within two weeks.
The driver calls Alice one hour before each delivery. Questions about the order are answered by Alice herself.
"""


def prose(n_words: int, seed: int) -> str:
    """Sentences of common words, about one token each; another seed differs from the first word on."""
    words = random.Random(seed)
    made = [f"{words.choice(_WORDS).capitalize()} {seed}"]
    made += [words.choice(_WORDS) + ("." if number % _SENTENCE_WORDS == 0 else "") for number in range(1, n_words)]
    return " ".join(made) + "."


def edit_task() -> str:
    """A raw prompt whose continuation is a copy with one name changed: what looking back at the prompt is good for."""
    edited = _ORDER.replace("Alice", "Berta")
    return f"{_ORDER}\nThe same text with Berta instead of Alice:\n\n{edited}\nOnce more, with Clara:\n\n{edited[:40]}"
