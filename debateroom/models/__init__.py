"""Models that can be asked: names, providers, retries."""
