"""The KV cache: slots, prefix reuse, snapshots, and the tokens of former answers."""
