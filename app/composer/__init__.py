"""The composer: the message being written, its attachments, drafts, spelling and prewarm."""
