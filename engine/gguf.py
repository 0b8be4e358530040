"""A GGUF header, from a file or from byte ranges, without loading the model."""
