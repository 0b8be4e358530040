"""Models on this computer, on the hub, and on their way here."""
