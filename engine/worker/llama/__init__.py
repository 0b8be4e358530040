"""The wall around llama.cpp: the only package that imports llama_cpp."""
