"""The template sandbox: nothing gets out, and nothing goes on without end."""

from __future__ import annotations

from itertools import count

import jinja2
import pytest

from engine.worker.prompt.template_sandbox import SOURCE_MAX, RenderBudget, Sandbox, TemplateLimit, TemplateRejection

MESSAGES = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]


def render(source: str, **variables: object) -> str:
    sandbox = Sandbox()
    return sandbox.render(sandbox.compile_source(source), {"messages": MESSAGES, **variables}, 100)


@pytest.mark.parametrize(
    "source",
    [
        "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
        "{% for a in range(1000000000) %}{% endfor %}",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(90) }}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{% for m in [messages] recursive %}{{ loop([m]) }}{% endfor %}",
        "{{ 'x' * 1000000000 }}",
        "{{ 1000000000 * 'x' }}",
        "{{ [0] * 1000000000 }}",
        "{{ 9 ** 9 ** 9 }}",
        "{% set ns = namespace(n=9) %}{% for i in range(1000) %}{% set ns.n = ns.n * ns.n %}{% endfor %}",
        "{{ '%1000000000d' % 1 }}",
        "{{ '{:>1000000000}'.format(1) }}",
        "{{ '{:>{}}'.format(1, 1000000000) }}",
        "{{ '%*d' % (1000000000, 1) }}",
        "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
        "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
        "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s | replace('x', 'xx') %}{% endfor %}",
        "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s.replace('x', 'xx') %}{% endfor %}",
        "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] | join %}{% endfor %}",
        "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s.join([ns.s, ns.s]) %}{% endfor %}",
        "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}",
        "{% set ns = namespace(s=1) %}{% for i in range(60) %}{% set ns.s = {'a': ns.s, 'b': ns.s} %}{% endfor %}",
        "{% set ns = namespace(s=(1,)) %}{% for i in range(60) %}{% set ns.s = (ns.s, ns.s) %}{% endfor %}",
        "{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = ns.l + ['x' * 3000000] %}{% endfor %}",
        "{{ ('a\n' * 100000) | indent(1000000) }}",
        "{{ ('x' * 3000000) | indent(3000000, first=true) }}",
        "{{ ('x' * 3000000) | replace('', 'y' * 3000000) }}",
        "{{ ('x' * 3000000).replace('x', 'y' * 3000000, 3000000) }}",
        "{{ range(100000) | join('x' * 3000000) }}",
        "{{ ('x' * 3000000).join(['a'] * 100000) }}",
        "{% for a in 'xxxxxxxxxx' %}" * 9 + "{% endfor %}" * 9,
        "{{ messages | tojson(indent=100000000) }}",
        "{% for a in 'x' * 100000 %}{{ 'y' * 1000 }}{% endfor %}",
    ],
)
def test_hostile_templates_end_soon_with_a_reason(source: str) -> None:
    with pytest.raises(TemplateLimit):
        render(source)


@pytest.mark.parametrize(
    "source",
    [
        "{{ 'x'.center(1000000000) }}",
        "{{ 'x' | center(1000000000) }}",
        "{{ messages | batch(1000000000, 0) | list }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.append(1) }}",
        "{{ messages[0].update({'role': 'system'}) }}",
        "{% include '/etc/passwd' %}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ undefined_thing.x }}",
        "{{ 1 / 0 }}",
        "{{ messages + 1 }}",
        "{{ none | length }}",
    ],
)
def test_what_a_chat_template_has_no_business_with_is_a_template_error(source: str) -> None:
    with pytest.raises(jinja2.TemplateError):
        render(source)


@pytest.mark.parametrize(
    "source",
    [
        "x" * (SOURCE_MAX + 1),
        "{% if true %}" * 5000 + "{% endif %}" * 5000,
        "{% for a in b %}" * 100 + "{% endfor %}" * 100,
        "{{ " + "(" * 50000 + "1" + ")" * 50000 + " }}",
        "{{ " + "-" * 50000 + "1 }}",
    ],
)
def test_a_source_that_is_too_large_or_too_deep_is_refused(source: str) -> None:
    with pytest.raises(jinja2.TemplateError):
        Sandbox().compile_source(source)


def test_the_clock_bounds_what_the_steps_do_not() -> None:
    ticks = count()
    budget = RenderBudget(0, clock=lambda: float(next(ticks)))
    with pytest.raises(TemplateLimit, match="longer than"):
        for _ in range(10):
            budget.step()


def test_long_chats_are_not_mistaken_for_hostile_ones() -> None:
    messages = [{"role": "user", "content": "word " * 2000}] * 1000
    source = "{% set ns = namespace(n=0) %}"
    source += "{% for m in messages %}{% set ns.n = ns.n + 1 %}{{ m.content | trim }}{% endfor %}"
    sandbox = Sandbox()
    text = sandbox.render(sandbox.compile_source(source), {"messages": messages}, 10_000_000)
    assert len(text) == 1000 * (2000 * 5 - 1)


def test_loops_see_their_usual_variables() -> None:
    source = (
        "{% for m in messages %}{{ loop.index }}/{{ loop.length }}{{ loop.first }}{{ loop.last }}"
        "{{ loop.previtem.role if loop.previtem }}{{ loop.nextitem.role if loop.nextitem }};{% endfor %}"
    )
    assert render(source) == "1/2TrueFalseassistant;2/2FalseTrueuser;"
    assert render("{% for k, v in messages[0].items() if v != 'user' %}{{ k }}={{ v }}{% endfor %}") == "content=Hello"
    assert render("{% for m in nothing %}x{% else %}empty{% endfor %}") == "empty"
    assert render("{% for i in range(3) %}{% if i == 1 %}{% continue %}{% endif %}{{ i }}{% endfor %}") == "02"


def test_filters_and_helpers_work_as_templates_expect() -> None:
    assert render("{{ {'b': '<é>', 'a': 1} | tojson }}") == '{"b": "<é>", "a": 1}'
    assert render("{{ [1, 2] | tojson(indent=2) }}") == "[\n  1,\n  2\n]"
    assert render("{{ ['a', 'b'] | join(', ') }}{{ 'aXb' | replace('X', '-') }}") == "a, ba-b"
    assert render("{{ 'a\nb' | indent(2) }}{{ 'a\n\nb' | indent('> ', true, blank=true) }}") == "a\n  b> a\n> \n> b"
    assert render("{{ messages | join('+', attribute='role') }}{{ [1, none] | join(d=',') }}") == "user+assistant1,None"
    assert render("{{ nothing | join }}{{ nothing | replace('a', 'b') }}{{ ', '.join(['a', 'b']) }}") == "a, b"
    assert (
        render("{{ 'aaa' | replace('a', 'b', 2) }}{{ 'aaa'.replace('a', 'b', 1) }}{{ 1 | replace(1, 2) }}") == "bbabaa2"
    )
    assert render("{{ messages | map(attribute='role') | join('+') }}") == "user+assistant"
    assert render("{{ messages | selectattr('role', 'equalto', 'user') | list | length }}") == "1"
    assert render("{{ '%s is %d' % ('x', 3) }}") == "x is 3"
    assert render("{{ '{:02d} {}'.format(7, 'x') }}") == "07 x"
    assert render("{{ none }}{{ true }}{{ 1.5 }}") == "NoneTrue1.5"
    assert render("a{% generation %}b{% endgeneration %}c") == "abc"


def test_raise_exception_carries_the_templates_words() -> None:
    with pytest.raises(TemplateRejection, match="roles must alternate"):
        render("{{ raise_exception('roles must alternate') }}")
