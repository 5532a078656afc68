"""The room on disk: journal, transcript, lock, events."""
