"""Asking addresses on the web that a user or a model names: guarded, pinned, once, never further than allowed."""
