"""What models, files and people wrote, turned into values, and what had to be mended on the way. Pure."""
