"""Text out of PDF and Word files, read in a process of its own: `python -m app.composer.documents`."""
