"""What the user sees: widgets with setters and signals, no decisions."""
