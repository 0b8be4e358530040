"""What a model needs, what fits, and how fast it should run."""
