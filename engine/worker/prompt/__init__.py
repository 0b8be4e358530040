"""From messages to tokens, and from answer text to its sections."""
