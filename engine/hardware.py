"""Devices, memory, bandwidth: what this machine has and how fast it is."""
