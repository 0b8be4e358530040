"""What latency figures mean for the user: diagnosis, advice, alerts, comparison."""
