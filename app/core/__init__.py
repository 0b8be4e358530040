"""What has no widget: the host as a client, tasks, settings_store, the open conversation, languages."""
