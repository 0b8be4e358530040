"""What has no widget: the host as a client, tasks, preferences, the open conversation, languages."""
