"""The local OpenAI-compatible HTTP API and the Prometheus page."""
