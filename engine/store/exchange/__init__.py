"""Bringing chats in from other programs and taking them out: one module for each format."""
