"""Reports for people, made from a transcript."""
