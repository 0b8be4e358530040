"""The latency display: strip, panel, why slow, alerts, comparison and the ablation page."""
