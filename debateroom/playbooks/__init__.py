"""Playbooks: three fixed steps that a coordinator goes through, each proved by a link or a path."""
