"""`python -m enfold` is the command."""

from enfold._cli import main

main()
