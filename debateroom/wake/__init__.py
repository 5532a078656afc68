"""The wake-up call: a POST to a webhook of the user's when a run fails, or when they ask for it."""
