"""The open chat: its controller, answers, versions, summaries, titles and search."""
