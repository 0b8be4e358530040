"""Loading a model: what fits, what gives way, and what was really set."""
