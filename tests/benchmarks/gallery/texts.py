"""What the chats of the walks say: everything a message can hold, in English and in Chinese."""

# ruff: noqa: E501 - the lines of a text are as long as they are.

from __future__ import annotations

MARKDOWN = """\
# A heading of the first level

A paragraph with **bold**, *italic*, ***both***, ~~struck out~~, `inline code`, [a link](https://example.org/page), and \
a bare address: https://example.org/a/long/path?with=parameters&and=more.

## Lists

1. First, with a nested list:
   - a point
   - another one, which is long enough that it has to be broken over two lines of the column, to see where the second begins
     - and deeper
2. Second

- [x] done
- [ ] still open

> A quotation, and inside of it
>
> > another one.

---

| Quantization | Size | Perplexity | What it keeps |
|:-------------|-----:|-----------:|:--------------|
| Q8_0 | 8.5 GB | 6.21 | nearly everything |
| Q4_K_M | 4.9 GB | 6.38 | good for chat |
| Q2_K | 3.2 GB | 7.90 | only where nothing else fits |

It costs $59 (save $100), and raw HTML such as <b>this</b> stays text.
"""

MARKDOWN_ZH = """\
# 一级标题

这一段里有**粗体**、*斜体*、~~删除线~~、`行内代码`和[链接](https://example.org/page)，也有中英文混排：KV cache 让 TTFT 从 1.2 s 降到 62 ms。

## 列表

1. 第一项，下面有嵌套：
   - 一个要点
   - 另一个要点，它足够长，需要在这一栏里折成两行，这样才能看出第二行从哪里开始，标点符号有没有被放在行首，对不对？
2. 第二项

- [x] 已完成
- [ ] 未完成

> 引用：“知之为知之，不知为不知，是知也。”

| 量化 | 大小 | 困惑度 | 保留的质量 |
|:-----|-----:|-------:|:-----------|
| Q8_0 | 8.5 GB | 6.21 | 几乎全部 |
| Q4_K_M | 4.9 GB | 6.38 | 适合聊天 |
| Q2_K | 3.2 GB | 7.90 | 仅在放不下其他时使用 |
"""

CODE = '''\
A fixed array and two counters are enough:

```python
class RingBuffer:
    """Single producer, single consumer; capacity in samples."""

    def __init__(self, capacity: int) -> None:
        self._slots = [None] * capacity
        self._head = self._tail = 0  # written, read

    def push(self, sample: float) -> bool:
        if self._head - self._tail == len(self._slots):
            return False
        self._slots[self._head % len(self._slots)] = sample; self._head += 1; return True  # a line that is too long for the column
```

```
no language is named here
```

```sql
SELECT title, count(*) FROM messages WHERE role = 'user' GROUP BY title HAVING count(*) > 3;
```
'''

MATH = r"""
The softmax of $x \in \mathbb{R}^n$ is $\sigma(x)_i = e^{x_i} / \sum_j e^{x_j}$, and attention is

$$\operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V$$

A matrix: $$A = \begin{pmatrix} a & b \\ c & d \end{pmatrix}, \quad \det A = ad - bc, \quad
\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}$$

Between $5 and $10 nothing is a formula; what cannot be read stays as it is: $\frac{1}{$.
"""

PICTURES = """\
A picture from elsewhere is fetched only after a click:

![A chart of the latency](https://pictures.example.org/chart.png)

One that lies here:

![The window]({local})

One that is missing:

![Nothing](/nowhere/nothing.png)

And one ![within a line](https://pictures.example.org/small.png) of text.
"""

REASONING = """\
The user wants a ring buffer for one producer and one consumer. Each counter has exactly one writer, so no lock is needed.

- `head` is written by the producer only
- `tail` by the consumer only

I should mention that Python's GIL makes this simple.
"""

REASONING_ZH = """\
用户想要一个单生产者、单消费者的环形缓冲区。每个计数器只有一个写入者，所以不需要锁。

我应该说明 `head` 只由生产者写入，`tail` 只由消费者写入。
"""

TOOL_CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Lisbon", "unit": "celsius"}}\n</tool_call>'

ARABIC = """\
ذاكرة التخزين المؤقت **KV** تحفظ المفاتيح والقيم لكل طبقة:

1. يُقرأ النص مرة واحدة
2. كل رمز جديد يحتاج إلى خطوة واحدة فقط

| المصطلح | المعنى |
|---|---|
| TTFT | زمن أول رمز |
| ITL | الزمن بين الرموز |

```python
cache = {}  # left to right, as code is
```

> اقتباس قصير.
"""

LONG_QUESTION = """\
Here is what the log says, please tell me what is wrong:

2026-03-01 09:14:02,113 WARNING retrying (1 of 5)
2026-03-01 09:14:04,920 WARNING retrying (2 of 5)
2026-03-01 09:14:09,301 ERROR   gave up: https://example.org/a/very/long/address/without/any/place/to/break/it/0123456789abcdef
    at fetch (client.py:88)

**Not bold**, because this is what I wrote. 谢谢！"""
