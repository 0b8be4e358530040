"""Words that people type for the window's commands beside those that the commands show."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


def command_words() -> dict[str, str]:
    """By the commands' names; a translation has the words of its language, and keeps the English ones worth keeping."""
    return {
        "new_chat": translate("command words", "start conversation"),
        "stop": translate("command words", "cancel abort interrupt"),
        "regenerate": translate("command words", "retry redo again"),
        "regenerate_with": translate("command words", "retry compare"),
        "copy_answer": translate("command words", "clipboard"),
        "add_message": translate("command words", "insert note"),
        "add_answer": translate("command words", "insert prefill"),
        "show_prompt": translate("command words", "raw template context tokens"),
        "system_prompt": translate("command words", "instructions persona role"),
        "formulas": translate("command words", "math equations"),
        "rename_chat": translate("command words", "title name"),
        "export_chat": translate("command words", "save Markdown HTML PDF JSON file"),
        "duplicate_chat": translate("command words", "copy branch fork clone"),
        "archive_chat": translate("command words", "hide put away"),
        "delete_chat": translate("command words", "remove trash"),
        "find": translate("command words", "search"),
        "search_all": translate("command words", "find history"),
        "archived": translate("command words", "hidden history"),
        "export_chats": translate("command words", "save backup all Markdown HTML PDF JSON"),
        "import_chats": translate("command words", "ChatGPT Claude LM Studio Jan Open WebUI SillyTavern file"),
        "shortcuts": translate("command words", "keys hotkeys help"),
        "choose_model": translate("command words", "switch load change LLM"),
        "models": translate("command words", "download library hub delete quantization GGUF"),
        "unload_model": translate("command words", "eject free memory VRAM"),
        "loading": translate(
            "command words",
            "settings GPU layers offload devices KV cache context length threads flash attention speculative",
        ),
        "settings": translate("command words", "preferences options language font"),
        "latency_panel": translate("command words", "metrics statistics performance speed TTFT GPU memory"),
        "sidebar": translate("command words", "panel history"),
        "next_chat": translate("command words", "switch down"),
        "previous_chat": translate("command words", "switch up"),
        "larger": translate("command words", "zoom in bigger font size"),
        "smaller": translate("command words", "zoom out font size"),
        "usual_size": translate("command words", "zoom 100 % font"),
        "system_colours": translate("command words", "theme appearance automatic mode"),
        "light": translate("command words", "theme appearance day bright mode"),
        "dark": translate("command words", "theme appearance night mode"),
        "high_contrast": translate("command words", "theme appearance accessibility black mode"),
        "write": translate("command words", "focus input composer"),
        "quit": translate("command words", "exit close"),
    }
