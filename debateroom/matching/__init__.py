"""Expectations against what really happened: values, tool calls, states. Pure; asks no model and reads no file."""
