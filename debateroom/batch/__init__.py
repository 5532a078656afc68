"""Many debates in one go: a file of questions, one room each, in threads or on a cluster."""
