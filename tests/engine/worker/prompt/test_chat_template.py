"""Chat templates: the families' traits in small templates of our own, and what is done where a chat does not fit."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from engine.errors import Code, RequestError
from engine.protocol.values import ChatMessage, Notice, Role
from engine.worker.prompt.chat_template import ChatTemplate, fold_system, merge_turns

LLAMA2 = """{%- if messages[0]['role'] == 'system' -%}
{%- set loop_messages = messages[1:] -%}{%- set system = '<<SYS>>\\n' ~ messages[0]['content'] ~ '\\n<</SYS>>\\n\\n' -%}
{%- else -%}{%- set loop_messages = messages -%}{%- set system = '' -%}{%- endif -%}
{%- for m in loop_messages -%}
{%- if (m['role'] == 'user') != (loop.index0 % 2 == 0) -%}
{{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') -}}{%- endif -%}
{%- if m['role'] == 'user' -%}
{{- bos_token + '[INST] ' + (system if loop.first else '') + m['content'].strip() + ' [/INST]' -}}
{%- else -%}{{- ' ' ~ m['content'] | trim ~ ' ' ~ eos_token -}}{%- endif -%}{%- endfor -%}"""

LLAMA3 = """{{- bos_token }}
{%- if not date_string is defined %}{%- set date_string = strftime_now("%d %b %Y") %}{%- endif %}
{%- for m in messages %}
{{- '<|start_header_id|>' + m['role'] + '<|end_header_id|>\\n\\n' + m['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}"""

GEMMA = """{{ bos_token }}{% if messages[0]['role'] == 'system' %}
{{- raise_exception('System role not supported') }}{% endif %}
{%- for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('Conversation roles must alternate') }}{% endif %}
{%- set role = 'model' if m['role'] == 'assistant' else m['role'] %}
{{- '<start_of_turn>' + role + '\\n' + m['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"""

QWEN3 = """{%- set ns = namespace(last=-1) %}
{%- for m in messages[::-1] %}{%- set index = (messages | length - 1) - loop.index0 %}
{%- if m.role == 'user' and ns.last < 0 %}{%- set ns.last = index %}{%- endif %}{%- endfor %}
{%- for m in messages %}{%- set content = m.content %}
{%- if m.role == 'assistant' and '</think>' in content %}
{%- set content = content.split('</think>')[-1].lstrip('\\n') %}
{%- endif %}
{{- '<|im_start|>' + m.role + '\\n' }}
{%- if m.role == 'assistant' and loop.index0 > ns.last and m.reasoning_content %}
{{- '<think>\\n' + m.reasoning_content.strip('\\n') + '\\n</think>\\n\\n' }}{%- endif %}
{{- content + '<|im_end|>\\n' }}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}
{%- if enable_thinking is defined and enable_thinking is false %}
{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}"""

DEEPSEEK_R1 = """{{ bos_token }}{%- for m in messages -%}
{%- if m.role == 'user' -%}{{- '<｜User｜>' + m.content -}}
{%- elif m.role == 'assistant' -%}{{- '<｜Assistant｜>' + m.content.split('</think>')[-1] + '<｜end▁of▁sentence｜>' -}}
{%- elif m.role == 'system' -%}{{- m.content -}}{%- endif -%}{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<｜Assistant｜><think>\\n' -}}{%- endif -%}"""

GPT_OSS = """{%- macro head(role) -%}<|start|>{{ role }}{%- endmacro -%}
{{- head('system') }}<|message|>Reasoning: {{ reasoning_effort | default('medium') }}<|end|>
{%- for m in messages -%}{%- if m.role == 'assistant' -%}
{{- head('assistant') }}<|channel|>final<|message|>{{ m.content }}<|end|>
{%- else -%}{{- head('developer' if m.role == 'system' else m.role) }}<|message|>{{ m.content }}<|end|>{%- endif -%}
{%- endfor -%}{%- if add_generation_prompt -%}<|start|>assistant{%- endif -%}
{#- history may hold <|channel|>analysis<|message|> -#}"""

MISTRAL = """{{- bos_token }}{%- for m in messages %}{%- if m.role == 'user' %}[INST]{{ m.content }}[/INST]
{%- elif m.role == 'assistant' %}{{ m.content }}{{ eos_token }}{%- elif m.role != 'system' %}
{{- raise_exception('Only user and assistant roles are supported') }}{%- endif %}{%- endfor %}"""

PHI = """{% for m in messages %}{{ '<|' + m.role + '|>\\n' + m.content + '<|end|>\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}"""

HERMES = """{{ bos_token }}{% for tool in tools %}{{ tool | tojson }}{% endfor %}{% for m in messages %}
{{- m.role + ': ' + m.content + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"""

COHERE = """{{ bos_token }}{% for m in messages %}<|START_OF_TURN_TOKEN|>
{%- if m.role == 'assistant' %}<|CHATBOT_TOKEN|><|START_RESPONSE|>{{ m.content }}<|END_RESPONSE|>
{%- else %}<|{{ m.role | upper }}_TOKEN|>{{ m.content }}{% endif %}<|END_OF_TURN_TOKEN|>{% endfor %}
{%- if add_generation_prompt %}<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>{% endif %}"""

SYSTEM = ChatMessage(role=Role.SYSTEM, content="Be brief.")
HELLO = ChatMessage(role=Role.USER, content="Hello")
HI = ChatMessage(role=Role.ASSISTANT, content="Hi!", reasoning="A greeting.")
MORE = ChatMessage(role=Role.USER, content="More")
CHAT = (SYSTEM, HELLO, HI, MORE)


def codes(notices: Iterable[Notice]) -> list[str]:
    return [notice.code for notice in notices]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (LLAMA2, "<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nHello [/INST] Hi! </s><s>[INST] More [/INST]"),
        (
            LLAMA3,
            "<s><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\nHi!<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nMore<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n",
        ),
        (
            QWEN3,
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n"
            "<|im_start|>assistant\nHi!<|im_end|>\n<|im_start|>user\nMore<|im_end|>\n<|im_start|>assistant\n",
        ),
        (
            DEEPSEEK_R1,
            "<s>Be brief.<｜User｜>Hello<｜Assistant｜>Hi!<｜end▁of▁sentence｜><｜User｜>More<｜Assistant｜><think>\n",
        ),
        (
            GPT_OSS,
            "<|start|>system<|message|>Reasoning: medium<|end|><|start|>developer<|message|>Be brief.<|end|>"
            "<|start|>user<|message|>Hello<|end|><|start|>assistant<|channel|>final<|message|>Hi!<|end|>"
            "<|start|>user<|message|>More<|end|><|start|>assistant",
        ),
        (
            PHI,
            "<|system|>\nBe brief.<|end|>\n<|user|>\nHello<|end|>\n"
            "<|assistant|>\nHi!<|end|>\n<|user|>\nMore<|end|>\n<|assistant|>\n",
        ),
        (HERMES, "<s>system: Be brief.\nuser: Hello\nassistant: Hi!\nuser: More\nassistant: "),
    ],
    ids=["llama2", "llama3", "qwen3", "deepseek r1", "gpt-oss", "phi", "hermes"],
)
def test_families_render_whole_chats(source: str, expected: str) -> None:
    rendered = ChatTemplate(source, "<s>", "</s>").render(CHAT)
    assert rendered.text == expected
    assert rendered.notices == ()


def test_a_rejected_system_prompt_goes_into_the_first_message() -> None:
    rendered = ChatTemplate(GEMMA, "<bos>", "<eos>").render(CHAT)
    assert rendered.text.startswith("<bos><start_of_turn>user\nBe brief.\n\nHello<end_of_turn>\n<start_of_turn>model")
    assert codes(rendered.notices) == ["system_folded"]


def test_a_system_prompt_that_would_be_left_out_silently_is_folded_too() -> None:
    rendered = ChatTemplate(MISTRAL, "<s>", "</s>").render(CHAT)
    assert rendered.text == "<s>[INST]Be brief.\n\nHello[/INST]Hi!</s>[INST]More[/INST]"
    assert codes(rendered.notices) == ["system_folded"]


def test_turns_that_must_alternate_are_merged() -> None:
    rendered = ChatTemplate(LLAMA2, "<s>", "</s>").render([HELLO, MORE])
    assert rendered.text == "<s>[INST] Hello\n\nMore [/INST]"
    assert codes(rendered.notices) == ["turns_merged"]


def test_a_chat_that_begins_with_the_assistant() -> None:
    rendered = ChatTemplate(GEMMA, "", "").render([HI, MORE])
    assert rendered.text.startswith("<start_of_turn>user\n<end_of_turn>\n<start_of_turn>model\nHi!")
    assert codes(rendered.notices) == ["turn_added"]


def test_everything_at_once_for_a_strict_template() -> None:
    rendered = ChatTemplate(GEMMA, "", "").render([SYSTEM, HELLO, MORE])
    assert "user\nBe brief.\n\nHello\n\nMore<end_of_turn>" in rendered.text
    assert codes(rendered.notices) == ["system_folded", "turns_merged"]


@pytest.mark.parametrize("source", [None, "", "  "])
def test_without_a_template_chatml_is_used(source: str | None) -> None:
    template = ChatTemplate(source, "<s>", "</s>", adds_bos=True)
    assert template.render([HELLO]).text == "<s><|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"
    assert codes(template.notices) == ["template_missing"]
    assert not template.has_template


@pytest.mark.parametrize(
    "source", ["{% for %}", "{{ functions | tojson }}", "{{ 'x' * 100000000 }}", "{{ messages[9].x }}"]
)
def test_a_template_that_cannot_work_is_replaced_with_a_warning(source: str) -> None:
    template = ChatTemplate(source, "", "")
    assert template.render([HELLO]).text == "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"
    assert codes(template.notices) == ["template_broken"]
    assert template.notices[0].is_warning


def test_a_chat_that_no_arrangement_makes_fit_is_a_clear_error() -> None:
    source = "{% if messages | length > 2 %}{{ raise_exception('Only one turn is supported') }}{% endif %}x"
    with pytest.raises(RequestError, match="Only one turn is supported") as caught:
        ChatTemplate(source, "", "").render([HELLO, HI, MORE])
    assert caught.value.code is Code.TEMPLATE_FAILED
    assert caught.value.failure.advice


@pytest.mark.parametrize("adds_bos", [True, False])
def test_bos_is_never_doubled(adds_bos: bool) -> None:
    twice = ChatTemplate("{{ bos_token }}{{ bos_token }}x", "<s>", "", adds_bos=adds_bos)
    assert twice.render([HELLO]).text == "<s>x"
    never = ChatTemplate("x", "<s>", "", adds_bos=adds_bos)
    assert never.render([HELLO]).text == ("<s>x" if adds_bos else "x")


def test_a_think_tag_that_the_template_opens_is_reported() -> None:
    r1 = ChatTemplate(DEEPSEEK_R1, "", "")
    assert r1.supports_reasoning
    assert r1.render([HELLO]).opens_reasoning
    assert not r1.render([HELLO], add_generation_prompt=False).opens_reasoning
    qwen = ChatTemplate(QWEN3, "", "")
    assert not qwen.render([HELLO]).opens_reasoning
    assert not ChatTemplate(PHI, "", "").supports_reasoning


def test_options_reach_the_template_but_cannot_replace_the_messages() -> None:
    qwen = ChatTemplate(QWEN3, "", "")
    off = qwen.render([HELLO], options={"enable_thinking": False, "messages": "none of it"})
    assert off.text.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")
    assert "Hello" in off.text
    effort = ChatTemplate(GPT_OSS, "", "").render([HELLO], options={"reasoning_effort": "high"})
    assert "Reasoning: high" in effort.text


@pytest.mark.parametrize(
    ("source", "answer", "tail", "is_open"),
    [
        (PHI, {"content": "It was"}, "<|assistant|>\nIt was", False),
        (QWEN3, {"content": "It was"}, "assistant\nIt was", False),
        (QWEN3, {"content": "It was", "reasoning": "Hm.\n"}, "assistant\n<think>\nHm.\n</think>\n\nIt was", False),
        (DEEPSEEK_R1, {"content": "", "reasoning": "Hm, so"}, "<｜Assistant｜><think>\nHm, so", True),
        (DEEPSEEK_R1, {"content": "It", "reasoning": "Hm.\n"}, "<think>\nHm.\n</think>\n\nIt", False),
        (GPT_OSS, {"content": "It"}, "<|start|>assistant<|channel|>final<|message|>It", False),
        (
            GPT_OSS,
            {"content": "It", "reasoning": "Hm."},
            "<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>It",
            False,
        ),
        (
            COHERE,
            {"content": "It", "reasoning": "Hm."},
            "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>It",
            False,
        ),
    ],
)
def test_a_continued_answer_ends_where_it_was_left(
    source: str, answer: dict[str, str], tail: str, is_open: bool
) -> None:
    template = ChatTemplate(source, "", "")
    begun = ChatMessage(role=Role.ASSISTANT, **answer)
    rendered = template.render([HELLO, begun], continue_answer=True)
    assert rendered.text.endswith(tail)
    assert rendered.text.startswith(template.render([HELLO]).text)
    assert rendered.opens_reasoning is is_open


def test_a_next_turn_extends_the_prompt_before_it() -> None:
    template = ChatTemplate(LLAMA3, "<s>", "</s>")
    first, second = template.render([SYSTEM, HELLO]), template.render(CHAT)
    assert second.text.startswith(first.text)


def test_dates_are_frozen_to_the_day_and_said() -> None:
    source = "{{ strftime_now('%Y-%m-%d %H:%M:%S.%f') }} {{ messages[0].content }}"
    template = ChatTemplate(source, "", "")
    assert " 00:00:00.000000 Hello" in template.render([HELLO]).text
    assert codes(template.notices) == ["template_date"]


def test_fold_system_keeps_later_system_messages_in_their_place() -> None:
    late = ChatMessage(role=Role.SYSTEM, content="Now in French.")
    assert [m.content for m in fold_system([HELLO, HI, late, MORE])] == ["Hello", "Hi!", "Now in French.\n\nMore"]
    assert [(m.role, m.content) for m in fold_system([HELLO, late])] == [
        (Role.USER, "Hello"),
        (Role.USER, "Now in French."),
    ]


def test_merge_turns_joins_text_and_reasoning() -> None:
    (merged,) = merge_turns([HI, ChatMessage(role=Role.ASSISTANT, content="Ho!", reasoning="Again.")])
    assert merged.content == "Hi!\n\nHo!"
    assert merged.reasoning == "A greeting.\n\nAgain."
