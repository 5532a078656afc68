"""Doors into debateroom other than the command line: a page on this machine. Loaded only when one is opened."""
