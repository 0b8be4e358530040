"""One loaded model in a process of its own."""
