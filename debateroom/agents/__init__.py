"""Agents: a model with instructions, tools and sub-agents, and agents of others that are spoken to from outside."""
