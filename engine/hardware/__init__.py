"""What this computer has: processor, memory, NVIDIA cards, and how fast its memory really is."""
