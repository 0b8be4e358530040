"""Jinja2 for templates out of downloaded files: no way out, and bounds on time, memory and size.

A sandbox alone does not bound anything: nested loops, recursive macros and repeated strings can take forever or all
memory. Every loop step, call, operator and output is therefore counted against a budget.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, cast

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Context, Undefined
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

_REFUSED_FILTERS = (
    "center",
    "format",
    "pprint",
    "random",
    "urlize",
    "wordwrap",
    "xmlattr",
    "filesizeformat",
    "batch",
    "slice",
)
_REFUSED_METHODS = frozenset({"center", "ljust", "rjust", "zfill", "expandtabs", "translate"})
_WIDTH = re.compile(r"%[^a-zA-Z%]*?(\d{4,}|\*)")
_FIELD_WIDTH = re.compile(r"\{[^{}]*:[^{}]*(\d{4,}|\{)")


class TemplateLimit(jinja2.TemplateRuntimeError):
    """The template did more than a chat template may."""


class TemplateRejection(jinja2.TemplateRuntimeError):
    """The template called raise_exception: it does not take these messages."""


class Budget:
    """What one rendering may still do."""

    def __init__(self, n_given: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`n_given`: characters that the messages hold; twice as many may come out, and some more."""
        self.value_max = _VALUE_MAX + n_given
        self._n_output = self.value_max + n_given
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
        if size > self.value_max or self._n_made < 0:
            raise TemplateLimit("it makes texts far longer than the chat")

    def checked(self, value: Any) -> Any:
        """Weigh a value that was made, with all that it holds: lists that hold each other twice grow without bound."""
        if isinstance(value, str):
            self.value(len(value))
        elif isinstance(value, (list, tuple, dict)):
            for item in value.values() if isinstance(value, dict) else value:
                self.step()
                if not isinstance(item, str):
                    self.checked(item)
        return value

    def counted(self, items: Any) -> Any:
        """The items of a loop, each of them one step."""
        if isinstance(items, Undefined) or not hasattr(items, "__iter__"):
            return items  # Jinja2 says what is wrong with it, or that it is empty.
        return _Counted(items if isinstance(items, (list, tuple)) else self._listed(items), self)

    def _listed(self, items: Any) -> list[Any]:
        found = []
        for item in items:
            self.step()
            found.append(item)
        return found


class _Counted:
    """A sequence whose iteration takes steps from a budget."""

    def __init__(self, items: list[Any] | tuple[Any, ...], budget: Budget) -> None:
        self._items = items
        self._budget = budget

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        for item in self._items:
            self._budget.step()
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
        self.budget = Budget(0)
        for name in _REFUSED_FILTERS:
            del self.filters[name]
        for name in ("replace", "join", "indent"):
            self.filters[name] = _bounded(self, name, self.filters[name])
        self.filters["tojson"] = _tojson
        self.filters["from_json"] = json.loads
        self.filters["counted"] = _counted
        self.filters["checked"] = _checked
        del self.globals["lipsum"]
        self.globals["range"] = self._range
        self.globals["raise_exception"] = _raise_exception
        self.globals["strftime_now"] = strftime_today

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
        self.budget = Budget(n_given)
        try:
            return template.render(variables)
        except jinja2.TemplateError:
            raise
        except RecursionError as error:
            raise TemplateLimit("it calls itself without end") from error
        except (TypeError, ValueError, KeyError, AttributeError, IndexError, ArithmeticError, MemoryError) as error:
            raise jinja2.TemplateRuntimeError(str(error) or type(error).__name__) from error

    # Hooks of Jinja2.

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        for loop in list(tree.find_all(nodes.For)):
            loop.iter = _filtered(cast(nodes.Expr, loop.iter), "counted")
        for concat in list(tree.find_all(nodes.Concat)):
            concat.nodes = [_filtered(nodes.Concat(concat.nodes, lineno=concat.lineno), "checked")]
        for made in list(tree.find_all(nodes.List)):
            made.items = [_weighed(item) for item in made.items]
        for group in list(tree.find_all(nodes.Tuple)):
            if group.ctx == "load":
                group.items = [_weighed(item) for item in group.items]
        for pair in list(tree.find_all(nodes.Pair)):
            pair.value = _weighed(pair.value)
        tree.set_environment(self)
        return tree

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        budget = self.budget
        budget.step()
        if operator == "*" and isinstance(left, (str, list, tuple)) != isinstance(right, (str, list, tuple)):
            items, times = (left, right) if isinstance(left, (str, list, tuple)) else (right, left)
            budget.value(len(items) * max(0, int(times)))
        elif operator == "+" and isinstance(left, (str, list, tuple)) and isinstance(right, (str, list, tuple)):
            budget.value(len(left) + len(right))
        elif operator == "**" and (abs(left) > 1000 or abs(right) > 64):
            raise TemplateLimit("it computes with huge numbers")
        elif operator == "%" and isinstance(left, str) and _WIDTH.search(left):
            raise TemplateLimit("it makes a text far longer than the chat")
        result = super().call_binop(context, operator, left, right)
        if isinstance(result, int) and abs(result) > _NUMBER_MAX:
            raise TemplateLimit("it computes with huge numbers")
        return result

    def call(self, context: Context, function: Any, *args: Any, **kwargs: Any) -> Any:
        self.budget.step()
        name, owner = getattr(function, "__name__", ""), getattr(function, "__self__", None)
        if isinstance(owner, str) and name == "replace":
            _check_replace(self.budget, owner, *args)
        elif isinstance(owner, str) and name == "join":
            args = (self.budget.counted(args[0]), *args[1:])
            self.budget.value(sum(len(owner) + len(str(item)) for item in args[0]))
        return self.budget.checked(super().call(context, function, *args, **kwargs))

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        if isinstance(obj, str) and attr in _REFUSED_METHODS:
            return False
        return super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        wrapped = super().wrap_str_format(value)
        if wrapped and _FIELD_WIDTH.search(value.__self__):
            raise TemplateLimit("it makes texts far longer than the chat")
        return wrapped

    def _range(self, *bounds: int) -> range:
        numbers = range(*bounds)
        if len(numbers) > _RANGE_MAX:
            raise TemplateLimit("it loops far more often than the chat has messages")
        return numbers


def today() -> datetime:
    """The beginning of this day: a clock time in a prompt would spoil the prefix cache with every request."""
    return datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)


def strftime_today(pattern: str) -> str:
    """Stands in for strftime_now, frozen to the day."""
    return today().strftime(pattern)


@jinja2.pass_context
def _finalize(context: Context, value: Any) -> Any:
    # Taking the context also keeps Jinja2 from computing outputs while it compiles.
    budget: Budget = context.environment.budget  # type: ignore[attr-defined]
    budget.step()
    text = value if isinstance(value, str) else str(value)
    budget.output(len(text))
    return text


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
        raise TemplateLimit("it makes a text far longer than the chat")
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _filtered(node: nodes.Expr, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def _weighed(node: nodes.Expr) -> nodes.Expr:
    return node if isinstance(node, nodes.Const) else _filtered(node, "checked")


@jinja2.pass_environment
def _counted(sandbox: Sandbox, items: Any) -> Any:
    return sandbox.budget.counted(items)


@jinja2.pass_environment
def _checked(sandbox: Sandbox, value: Any) -> Any:
    return sandbox.budget.checked(value)


def _bounded(sandbox: Sandbox, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """One of Jinja2's filters, with a check of what it is about to make."""

    def run(first: Any, *args: Any, **kwargs: Any) -> Any:
        budget = sandbox.budget
        budget.step()
        passes_eval = hasattr(function, "jinja_pass_arg")
        value = args[0] if passes_eval and args else first
        if name == "replace":
            _check_replace(budget, str(value), *args[1 if passes_eval else 0 :])
        elif name == "indent":
            width = kwargs.get("width", args[0] if args else 4)
            budget.value(len(str(value)) + str(value).count("\n") * (width if isinstance(width, int) else len(width)))
        elif name == "join":
            values = list(budget.counted(value))
            between = kwargs.get("d", args[1] if len(args) > 1 else "")
            budget.value(sum(len(str(item)) + len(str(between)) for item in values))
            args = (values, *args[1:])
        return budget.checked(function(first, *args, **kwargs))

    run.__name__ = name
    if hasattr(function, "jinja_pass_arg"):
        run.jinja_pass_arg = function.jinja_pass_arg  # type: ignore[attr-defined]
    return run


def _check_replace(budget: Budget, text: str, old: Any = "", new: Any = "", *_rest: Any) -> None:
    n_found = text.count(str(old)) if old else len(text) + 1
    budget.value(len(text) + n_found * len(str(new)))
