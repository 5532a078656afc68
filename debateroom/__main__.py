"""`python -m debateroom` is the same as `debateroom`."""

from debateroom.cli import main

if __name__ == "__main__":
    main()
