"""Markdown for a stream: parsed once, laid out once, drawn block by block."""
