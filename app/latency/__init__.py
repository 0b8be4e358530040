"""The latency HUD: strip, panel, why slow, alerts, comparison and the ablation page."""
