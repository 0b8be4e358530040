"""The sidebar with the list of chats, and their import and export."""
