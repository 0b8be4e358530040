"""Jinja2 for templates out of downloaded files: no way out, and bounds on time, memory and size.

A sandbox alone does not bound anything: nested loops, recursive macros and repeated strings can take forever or all
memory, and ending the process would leave a model without a chat that works with the ChatML format. Every loop step,
call, operator and output is therefore counted against a budget.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, cast

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.filters import do_indent, make_attrgetter
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

SOURCE_MAX = 1 << 20
"""Characters of a template's source; the largest known one has 30,000."""
_STEPS_MAX = 500_000
"""A chat of 1,000 messages takes about 30,000 in the most elaborate templates."""
_SECONDS_MAX = 2.0
_VALUE_MAX = 1 << 22
"""Characters or items of one value, beyond what the messages hold themselves."""
_MADE_MAX = 1 << 26
"""Characters of all values that are made, together."""
_RANGE_MAX = 100_000
_NUMBER_MAX = 1 << 64

_REFUSED_FILTERS = frozenset(
    {"batch", "center", "filesizeformat", "format", "pprint", "random", "slice", "urlize", "wordwrap", "xmlattr"}
)
_SEQUENCES = (str, list, tuple)
_REFUSED_METHODS = frozenset({"center", "ljust", "rjust", "zfill", "expandtabs", "translate"})
_WIDTH = re.compile(r"%[^a-zA-Z%]*?(\d{4,}|\*)")
_FIELD_WIDTH = re.compile(r"\{[^{}]*:[^{}]*(\d{4,}|\{)")
_TOO_LONG = "it makes texts far longer than the chat"


class TemplateLimit(jinja2.TemplateRuntimeError):
    """The template did more than a chat template may."""


class TemplateRejection(jinja2.TemplateRuntimeError):
    """The template called raise_exception: it does not take these messages."""


class RenderBudget:
    """What one rendering may still do."""

    def __init__(self, n_given: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`n_given`: characters that the messages hold; twice as many may come out, and some more."""
        self._value_max = _VALUE_MAX + n_given
        self._n_output = self._value_max + n_given
        self._n_made = _MADE_MAX + 100 * n_given
        self._n_steps = _STEPS_MAX
        self._clock = clock
        self._deadline = clock() + _SECONDS_MAX

    def step(self) -> None:
        self._n_steps -= 1
        if self._n_steps < 0:
            raise TemplateLimit("it takes more than half a million steps")
        if self._clock() > self._deadline:
            raise TemplateLimit(f"it takes longer than {_SECONDS_MAX:.0f} seconds")

    def output(self, n_characters: int) -> None:
        self._n_output -= n_characters
        if self._n_output < 0:
            raise TemplateLimit("it makes a prompt far longer than the chat")

    def value(self, size: int) -> None:
        """Check the size of one value, before it is made where that can be known."""
        self._n_made -= size
        if size > self._value_max or self._n_made < 0:
            raise TemplateLimit(_TOO_LONG)

    def weighed(self, value: Any) -> Any:
        """A value that was made, with all that it holds: lists that hold each other twice grow without bound."""
        if isinstance(value, str):
            self.value(len(value))
        elif isinstance(value, (list, tuple, dict)):
            for item in value.values() if isinstance(value, dict) else value:
                self.step()
                if not isinstance(item, str):
                    self.weighed(item)
        return value

    def counted(self, items: Iterable[Any]) -> Iterator[Any]:
        """The items of a loop, each of them one step."""
        for item in items:
            self.step()
            yield item


class _Generation(Extension):
    """`{% generation %}`, which marks an assistant's text for training, means nothing here."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment that chat templates are written for, as Hugging Face's, with a budget."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.loopcontrols", _Generation],
            finalize=_finalize,
            optimized=False,  # Constants must not be computed before there is a budget.
            cache_size=0,
        )
        self._begin(0)
        for name in _REFUSED_FILTERS:
            del self.filters[name]
        self.filters |= {"replace": self._replace, "join": self._join, "indent": self._indent}
        self.filters |= {"tojson": _tojson, "from_json": json.loads}
        del self.globals["lipsum"]
        self.globals |= {"range": _range, "raise_exception": _raise_exception, "strftime_now": strftime_today}

    def compile_source(self, source: str) -> jinja2.Template:
        """Raises jinja2.TemplateSyntaxError, and TemplateLimit for a source that is too large or nested too deep."""
        if len(source) > SOURCE_MAX:
            raise TemplateLimit(f"its source has {len(source)} characters")
        try:
            return self.from_string(source)
        except (RecursionError, MemoryError, SyntaxError, OverflowError) as error:
            raise TemplateLimit("it is nested too deep") from error

    def render(self, template: jinja2.Template, variables: Mapping[str, Any], n_given: int) -> str:
        """The rendered text. Raises jinja2.TemplateError and its kinds above, also for errors of the template's own."""
        self._begin(n_given)
        try:
            return template.render(variables)
        except jinja2.TemplateError:
            raise
        except RecursionError as error:
            raise TemplateLimit("it calls itself without end") from error
        except (TypeError, ValueError, KeyError, AttributeError, IndexError, ArithmeticError, MemoryError) as error:
            raise jinja2.TemplateRuntimeError(str(error) or type(error).__name__) from error

    def _begin(self, n_given: int) -> None:
        self.budget = RenderBudget(n_given)
        self.filters |= {"counted": self.budget.counted, "weighed": self.budget.weighed}

    # Hooks of Jinja2.

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        for node in list(tree.find_all((nodes.For, nodes.Concat, nodes.List, nodes.Tuple, nodes.Pair))):
            if isinstance(node, nodes.For):
                node.iter = _filtered(node.iter, "counted")
            elif isinstance(node, nodes.Concat):
                node.nodes = [_filtered(nodes.Concat(node.nodes, lineno=node.lineno), "weighed")]
            elif isinstance(node, nodes.Pair):
                node.value = _weighed(node.value)
            elif isinstance(node, nodes.List) or (isinstance(node, nodes.Tuple) and node.ctx == "load"):
                node.items = [_weighed(item) for item in node.items]
        tree.set_environment(self)
        return tree

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        self.budget.step()
        if operator == "+" and isinstance(left, _SEQUENCES) and isinstance(right, _SEQUENCES):
            self.budget.value(len(left) + len(right))
        elif operator == "*" and isinstance(left, _SEQUENCES) != isinstance(right, _SEQUENCES):
            items, times = (left, right) if isinstance(left, _SEQUENCES) else (right, left)
            self.budget.value(len(items) * max(0, int(times)))
        elif operator == "**" and (abs(left) > 1000 or abs(right) > 64):
            raise TemplateLimit("it computes with huge numbers")
        elif operator == "%" and isinstance(left, str) and _WIDTH.search(left):
            raise TemplateLimit(_TOO_LONG)
        result = super().call_binop(context, operator, left, right)
        if isinstance(result, int) and abs(result) > _NUMBER_MAX:
            raise TemplateLimit("it computes with huge numbers")
        return result

    def call(self, context: Context, function: Any, *args: Any, **kwargs: Any) -> Any:
        self.budget.step()
        name, owner = getattr(function, "__name__", ""), getattr(function, "__self__", None)
        if isinstance(owner, str) and name == "replace":
            function, args = self._replace, (owner, *args)
        elif isinstance(owner, str) and name == "join":
            function, args = self._join, (*args, owner)
        return self.budget.weighed(super().call(context, function, *args, **kwargs))

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return super().is_safe_attribute(obj, attr, value) and not (isinstance(obj, str) and attr in _REFUSED_METHODS)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        wrapped = super().wrap_str_format(value)
        if wrapped and _FIELD_WIDTH.search(value.__self__):
            raise TemplateLimit(_TOO_LONG)
        return wrapped

    # Filters and methods that make more out of less, as Jinja2 has them.

    def _replace(self, text: Any, old: Any, new: Any, count: int | None = None) -> str:
        text, old, new = str(text), str(old), str(new)
        self.budget.value(len(text) + text.count(old) * len(new))
        return cast(str, text.replace(old, new, -1 if count is None else count))

    def _join(self, items: Iterable[Any], d: Any = "", attribute: str | int | None = None) -> str:
        items = items if attribute is None else map(make_attrgetter(self, attribute), items)
        texts = [str(item) for item in self.budget.counted(items)]
        self.budget.value(sum(map(len, texts)) + len(texts) * len(str(d)))
        return str(d).join(texts)

    def _indent(self, text: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
        text = str(text)
        self.budget.value(len(text) + (text.count("\n") + 1) * (width if isinstance(width, int) else len(width)))
        return do_indent(text, width, first, blank)


def strftime_today(pattern: str) -> str:
    """Stands in for strftime_now, frozen to the day: a clock time would spoil the prefix cache with every request."""
    return datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0).strftime(pattern)


@jinja2.pass_context
def _finalize(context: Context, value: Any) -> str:
    # Taking the context also keeps Jinja2 from computing outputs while it compiles.
    budget: RenderBudget = context.environment.budget  # type: ignore[attr-defined]
    budget.step()
    text = value if isinstance(value, str) else str(value)
    budget.output(len(text))
    return text


def _range(*bounds: int) -> range:
    numbers = range(*bounds)
    if len(numbers) > _RANGE_MAX:
        raise TemplateLimit("it loops far more often than the chat has messages")
    return numbers


def _raise_exception(message: object) -> None:
    raise TemplateRejection(str(message))


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """As Hugging Face's: plain JSON, without Jinja2's escaping for HTML."""
    if indent is not None and int(indent) > 16:
        raise TemplateLimit(_TOO_LONG)
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(cast(nodes.Expr, node), name, [], [], None, None, lineno=node.lineno)


def _weighed(node: nodes.Expr) -> nodes.Expr:
    return node if isinstance(node, nodes.Const) else _filtered(node, "weighed")
