"""A very short session, shell only: the shape that the smallest agents share."""
from recorder.script import bash, say, step, user

PROJECT = "count"
COMMITS = [("Count words", ".")]
SYSTEM = "You are a helpful assistant that can interact with a computer shell to solve programming tasks."

EVENTS = [
    user("count.py says that fox.txt has 8 words, but there are 9. Please fix it."),
    step("I'll look at the program and reproduce the count.", bash("cat -n count.py && python3 count.py fox.txt && cat fox.txt"),
         thinking="Reproduce first: the program, its output, and the text it counts."),
    step("It splits at single spaces only, so `fox\\njumps` is one word. `split()` without an argument splits at any white space.",
         bash("sed -i 's/text.split(\" \")/text.split()/' count.py && git diff")),
    step("Now the count, and the two cases that went wrong with the old code: an empty file and double spaces.",
         bash("python3 count.py fox.txt; printf '' > empty.txt; python3 count.py empty.txt; printf 'a  b' > two.txt; python3 count.py two.txt; python3 count.py none.txt")),
    step("Right: 9, 0 and 2; a missing file still fails loudly. I clean up and commit.",
         bash("rm empty.txt two.txt && git commit -qam 'Count words at any white space' && git status --short && git log --oneline")),
    step("The change as a whole, once more:", bash("git diff HEAD~1")),
    say("`count.py` splits at any white space now: fox.txt has 9 words. Committed."),
]
