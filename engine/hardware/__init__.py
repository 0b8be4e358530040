"""What this computer has: processor, memory, NVIDIA cards, battery, and how fast its memory really is."""
