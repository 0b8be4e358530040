"""The loop: schedule, decode, emit; prewarm and speculation."""
