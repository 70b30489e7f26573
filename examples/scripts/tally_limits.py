"""A long session: two bugs and a feature in a C program, with a change of mind in the middle."""
from recorder.script import bash, edit, grep, read, say, step, todo, user, write

PROJECT = "tally"
COMMITS = [
    ("Money in cents, dates that exist", "Makefile .gitignore src/tally.h src/money.c src/date.c tests/check.h tests/test_money.c tests/test_date.c"),
    ("Read and write the file", "src/csv.c src/ledger.c tests/test_csv.c"),
    ("Reports, JSON, and the command line", "."),
]
SYSTEM = """You are a coding agent working in a git repository at /home/dev/tally. You have tools to run shell commands, read, \
write and edit files, search, and keep a todo list. Work in small steps, run the tests after each change, and commit each \
finished change by itself with a message that says why. Paths are relative to the repository. When you are done, say \
briefly what changed and what you did not do."""

EVENTS = [
    user("""
Three things about tally:

1. Refunds under one unit lose their sign: an entry of -0.50 shows up as 0.50 in the report.
2. With my real file it crashes. I have about twenty categories. I can't share the file, sorry.
3. I'd like budgets: `tally budget FILE BUDGETS`, where BUDGETS is a small file with lines like `food = 300`, and the \
command shows per month and category what was spent against the budget.

One rule: never touch the CSV format. Other programs read and write those files, so not one byte of what `add` writes may \
change, and old files must keep loading.

No new dependencies, please. Commit each thing separately.
"""),
    step("I'll start with the lay of the land: history, files, and what the README promises.",
         bash("git log --oneline && git status --short && wc -l Makefile src/* tests/* tools/*"),
         read("README.md")),
    step("The header first, it is the map of the program.", read("src/tally.h")),
    step("", todo("> Reproduce and fix the sign of small refunds", "- Reproduce and fix the crash with many categories",
                  "- `tally budget FILE BUDGETS`", "- README", "- CSV format unchanged: compare bytes before and after")),
    step("Before I change anything I want the tests green and a fingerprint of what `add` writes, so that I can prove at the end that the format did not move.",
         bash("make test 2>&1"),
         bash("""mkdir -p build/before && rm -f build/before/add.csv
while IFS='|' read -r day amount category note; do build/tally add build/before/add.csv "$day" "$amount" "$category" "$note"; done <<'END'
2025-01-03|12.40|food|lunch, two people
2025-01-04|-3|food|refund
2025-01-05|0.5|books|say "hi"
2025-01-06|+7.05|home|
2025-01-07|1000000|rent|caution
END
cat build/before/add.csv; sha256sum build/before/add.csv""")),
    step("Green. Now the money code and its tests, side by side.", read("src/money.c"), read("tests/test_money.c")),
    step("""
`money_format` divides first: -50 / 100 is 0, and a zero has no sign. `-1240` survives because -12 carries it, which is why the \
test for `-12.40` passes. Every caller is affected; let me see who they are.
""", grep(r"money_format|MONEY_TEXT", "src")),
    step("""
Important: `ledger_append` formats through the same function, so `add FILE … -0.50` *writes* `0.50` today. Fixing the sign \
changes what is written for that one input, from a wrong amount to the right one. The format stays; the value becomes what the \
user typed. Let me confirm it on the command line.
""", bash("""rm -f build/r.csv; build/tally add build/r.csv 2025-02-01 -0.50 food deposit; cat build/r.csv
printf '2025-02-01,-0.50,food,deposit\\n' > build/r2.csv; build/tally report build/r2.csv; build/tally json build/r2.csv""")),
    step("Confirmed in all three places. Tests first: the four amounts around zero that nobody checked.",
         edit("tests/test_money.c", """
    prints(-1240, "-12.40");
""", """
    prints(-1240, "-12.40");
    prints(-100, "-1.00");
    prints(-99, "-0.99");
    prints(-50, "-0.50");
    prints(-1, "-0.01");
""", "small negative amounts keep their sign"),
         bash("make build/test_money && build/test_money | grep -A3 '^not ok'")),
    step("Three fail for the reason I expected. The sign has to be taken off before the division.",
         edit("src/money.c", """
    cents whole = amount / 100;
    cents rest = amount % 100;

    if (rest < 0)
        rest = -rest;
    snprintf(buf, MONEY_TEXT, "%lld.%02lld", whole, rest);
    return buf;
""", """
    /* The sign is printed by itself: -50 / 100 is 0, and 0 has none. */
    unsigned long long size = llabs(amount);

    snprintf(buf, MONEY_TEXT, "%s%llu.%02llu", amount < 0 ? "-" : "", size / 100, size % 100);
    return buf;
""", "print the sign apart from the digits")),
    step("", bash("make test 2>&1")),
    step("`llabs` lives in stdlib.h. And while I am here: `llabs(LLONG_MIN)` is undefined; `money_parse` cannot produce it, but a sum could in theory. Negating as unsigned is defined for every value and needs no header.",
         edit("src/money.c", """
    unsigned long long size = llabs(amount);
""", """
    unsigned long long size = amount < 0 ? 0ULL - (unsigned long long)amount : (unsigned long long)amount;
""", "no undefined behaviour at the smallest value")),
    step("", bash("make test 2>&1")),
    step("All green. The same three commands as before:",
         bash("""rm -f build/r.csv; build/tally add build/r.csv 2025-02-01 -0.50 food deposit; cat build/r.csv
build/tally report build/r2.csv; build/tally json build/r2.csv"""),
         bash("git diff --stat && git commit -qam 'Keep the sign of amounts between -1 and 0' -m 'An entry of -0.50 was shown, exported and written as 0.50: the sign was taken from the whole part, and 0 has none.' && git log --oneline -1")),
    step("", todo("x Reproduce and fix the sign of small refunds", "> Reproduce and fix the crash with many categories",
                  "- `tally budget FILE BUDGETS`", "- README", "- CSV format unchanged: compare bytes before and after")),
    step("Now the crash. The report is the only place that groups by category, so I read that, top first.", read("src/report.c", 1, 60)),
    step("", read("src/report.c", 45, 60)),
    step("""
`MAX_CATEGORIES 12`, a fixed array inside a struct on the stack, and `find` never compares `count` with it: the thirteenth category \
writes past the end. About twenty categories would do exactly that. I'll prove it with the address sanitizer rather than by reading.
""", bash("""for i in $(seq 1 20); do printf '2025-03-%02d,%d.25,category-%02d,\\n' $i $i $i; done > build/twenty.csv
make -s build/tally && build/tally report build/twenty.csv; echo "exit $?" """),
         bash("""mkdir -p build/asan && gcc -std=c11 -D_POSIX_C_SOURCE=200809L -g -O0 -fsanitize=address,undefined -fno-omit-frame-pointer -o build/asan/tally src/*.c && build/asan/tally report build/twenty.csv 2>&1""")),
    step("""
There it is: out of bounds in `find`, called from `collect`. I'll let the list grow instead of choosing a larger number. The sample \
generator has exactly twelve categories, which explains why nobody saw it.
""", read("tools/sample.py", 1, 40), grep("MAX_CATEGORIES|buckets")),
    step("The struct gets a pointer and a capacity; both reports free it.",
         edit("src/report.c", """
#define MAX_CATEGORIES 12

typedef struct {
""", """
typedef struct {
""", "no fixed limit"),
         edit("src/report.c", """
typedef struct {
    bucket buckets[MAX_CATEGORIES];
    int count;
} buckets;
""", """
typedef struct {
    bucket *buckets;
    int count, room;
} buckets;
""", "the list grows"),
         edit("src/report.c", """
    b->buckets[b->count] = (bucket){.category = category};
    return &b->buckets[b->count++];
""", """
    if (b->count == b->room) {
        b->room = b->room ? b->room * 2 : 16;
        b->buckets = realloc(b->buckets, (size_t)b->room * sizeof *b->buckets);
        if (!b->buckets) {
            fputs("tally: out of memory\\n", stderr);
            exit(70);
        }
    }
    b->buckets[b->count] = (bucket){.category = category};
    return &b->buckets[b->count++];
""", "grow as ledger_push does")),
    step("Freeing: at the end of `print_buckets` would be wrong, it does not own the list. Each report frees its own.",
         edit("src/report.c", """
    print_buckets(&all, out);
""", """
    print_buckets(&all, out);
    free(all.buckets);
""", "free the list"),
         edit("src/report.c", """
    print_buckets(&month, out)
""", """
    print_buckets(&month, out);
    free(month.buckets);
""", "free the list of each month")),
    step("I left out the semicolon in the text to replace, so the second one now has two. Let me look at it.", read("src/report.c", 70, 40)),
    step("", edit("src/report.c", """
        print_buckets(&month, out);
    free(month.buckets);;
""", """
        print_buckets(&month, out);
        free(month.buckets);
""", "mend the indentation and the stray semicolon"),
         edit("tests/test_report.c", """
    CHECK(ledger_total(&l) == 81590, "the total is the sum of the rows");
    ledger_free(&l);
""", """
    CHECK(ledger_total(&l) == 81590, "the total is the sum of the rows");
    ledger_free(&l);

    ledger_init(&l);
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "category-%02d", i);
        put(&l, 3, 1 + i % 28, 100 + i, name);
    }
    text = render(&l, report_by_category);
    CHECK(strstr(text, "category-00") && strstr(text, "category-39"), "forty categories are all there");
    CHECK(strstr(text, "  total              47.80\\n"), "and add up");
    free(text);
    ledger_free(&l);
""", "more categories than the old limit")),
    step("", bash("make test 2>&1"),
         bash("""gcc -std=c11 -D_POSIX_C_SOURCE=200809L -g -O0 -fsanitize=address,undefined -fno-omit-frame-pointer -o build/asan/tally src/*.c && build/asan/tally report build/twenty.csv && build/asan/tally report -m build/twenty.csv | tail -3""")),
    step("Sanitizer clean, leaks included. If it is that cheap, the whole suite should run under it once; perhaps there is more of this kind.",
         bash("make clean && make test CFLAGS='-std=c11 -D_POSIX_C_SOURCE=200809L -g -O0 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-omit-frame-pointer' 2>&1; git status --short")),
    step("Nothing else. `make clean` took my `before` file with it, though: I have to write it again from the commit you handed me, not from the working tree, or it proves nothing.",
         bash("""git worktree add -q build/handed-over HEAD~1 && make -s -C build/handed-over && mkdir -p build/before
while IFS='|' read -r day amount category note; do build/handed-over/build/tally add build/before/add.csv "$day" "$amount" "$category" "$note"; done <<'END'
2025-01-03|12.40|food|lunch, two people
2025-01-04|-3|food|refund
2025-01-05|0.5|books|say "hi"
2025-01-06|+7.05|home|
2025-01-07|1000000|rent|caution
END
git -C build/handed-over log --oneline -1; git worktree remove --force build/handed-over; sha256sum build/before/add.csv; make -s && for i in $(seq 1 20); do printf '2025-03-%02d,%d.25,category-%02d,\\n' $i $i $i; done > build/twenty.csv; mkdir -p build/asan""")),
    step("The same sum as at the beginning, ff28afc5. I'd like to see the whole file once more before I commit it, and the tests next to it.", read("src/report.c"), read("tests/test_report.c")),
    step("", bash("git diff && git commit -qam 'Report any number of categories' -m 'The list of categories had room for twelve and was never checked; the thirteenth wrote past its end. It grows now, as the ledger does.' && git log --oneline -2")),
    step("", todo("x Reproduce and fix the sign of small refunds", "x Reproduce and fix the crash with many categories",
                  "> `tally budget FILE BUDGETS`", "- README", "- CSV format unchanged: compare bytes before and after")),
    step("""
For the budgets I need realistic data. The generator makes a year; the JSON export shows me notes, refunds and all categories at once, \
and checks the export on the way.
""", bash("/usr/bin/python3 tools/sample.py 240 > build/year.csv && build/tally json build/year.csv")),
    step("Refunds are in there with their sign. Is it valid JSON for other programs, and do the sums agree?",
         bash("""build/tally json build/year.csv | /usr/bin/python3 -c '
import json, sys, collections
rows = json.load(sys.stdin)
sums = collections.Counter()
for r in rows:
    sums[r["category"]] += round(r["amount"] * 100)
print(len(rows), "rows", sum(sums.values()) / 100)
for name, cents in sums.most_common():
    print(f"{name:10} {cents / 100:10.2f}")
'; build/tally report build/year.csv"""),
         bash("build/tally report -m build/year.csv")),
    step("They agree. How files are loaded and errors are named: ledger.c, in two pages.", read("src/ledger.c", 1, 75)),
    step("", read("src/ledger.c", 55, 80), read("src/main.c", 1, 45)),
    step("And how `add` writes, to be sure that nothing I plan comes near it:", read("src/csv.c", 60, 45), grep("csv_write_field|fopen", "src")),
    step("`PATH:LINE: what: 'value'` is the convention; the budget reader will keep it. The rest of main:", read("src/main.c", 35, 60)),
    step("""
Design, kept small: `budget.c` owns reading the file and the comparison. `name = amount` per line, `#` starts a comment, blank lines \
are fine, a category twice is an error (which one would count?). A month shows every budgeted category, spent or not, and \
what was spent outside the budgets in one line `other`.
""", write("src/budget.c", r'''
#include "tally.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *trim(char *text)
{
    char *end;
    while (isspace((unsigned char)*text))
        text++;
    end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return text;
}

const budget *budget_find(const budgets *b, const char *category)
{
    for (int i = 0; i < b->count; i++)
        if (strcmp(b->rows[i].category, category) == 0)
            return &b->rows[i];
    return NULL;
}

static void push(budgets *b, budget row)
{
    if (b->count == b->room) {
        b->room = b->room ? b->room * 2 : 16;
        b->rows = realloc(b->rows, b->room * sizeof *b->rows);
        if (!b->rows) {
            fputs("tally: out of memory\n", stderr);
            exit(70);
        }
    }
    b->rows[b->count++] = row;
}

static bool load_line(budgets *b, const char *path, int number, char *line)
{
    char *comment = strchr(line, '#');
    char *equals, *name, *value;
    budget row = {0};

    if (comment)
        *comment = '\0';
    line = trim(line);
    if (*line == '\0')
        return true;
    equals = strchr(line, '=');
    if (!equals) {
        fprintf(stderr, "%s:%d: expected 'category = amount': '%s'\n", path, number, line);
        return false;
    }
    *equals = '\0';
    name = trim(line);
    value = trim(equals + 1);
    if (!money_parse(value, &row.limit)) {
        fprintf(stderr, "%s:%d: not an amount: '%s'\n", path, number, value);
        return false;
    }
    if (budget_find(b, name)) {
        fprintf(stderr, "%s:%d: a second budget for '%s'\n", path, number, name);
        return false;
    }
    row.category = strdup(name);
    push(b, row);
    return true;
}

bool budgets_load(budgets *b, const char *path)
{
    char *line = NULL;
    size_t size = 0;
    int number = 0;
    bool ok = true;
    FILE *in = fopen(path, "r");

    if (!in) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    while (ok && getline(&line, &size, in) >= 0)
        ok = load_line(b, path, ++number, line);
    free(line);
    fclose(in);
    return ok;
}

void budgets_free(budgets *b)
{
    for (int i = 0; i < b->count; i++)
        free(b->rows[i].category);
    free(b->rows);
    *b = (budgets){0};
}

static void print_bar(cents spent, cents limit, FILE *out)
{
    int filled = limit > 0 ? (int)(spent * 20 / limit) : 20;
    putc('[', out);
    for (int i = 0; i < 20; i++)
        putc(i < filled ? '#' : '.', out);
    fputs(filled > 20 ? "]+\n" : "]\n", out);
}

/* The ledger must be sorted by date. */
void budget_report(const ledger *l, const budgets *b, FILE *out)
{
    char spent[MONEY_TEXT], limit[MONEY_TEXT];
    cents *sums = calloc(b->count + 1, sizeof *sums);
    size_t i = 0;

    while (i < l->count) {
        date first = l->rows[i].when;
        memset(sums, 0, (b->count + 1) * sizeof *sums);
        for (; i < l->count && l->rows[i].when.year == first.year && l->rows[i].when.month == first.month; i++) {
            const budget *row = budget_find(b, l->rows[i].category);
            sums[row ? row - b->rows : b->count] += l->rows[i].amount;
        }
        fprintf(out, "%04d-%02d\n", first.year, first.month);
        for (size_t k = 0; k < b->count; k++) {
            fprintf(out, "  %-12s %10s of %10s ", b->rows[k].category, money_format(sums[k], spent),
                    money_format(b->rows[k].limit, limit));
            print_bar(sums[k], b->rows[k].limit, out);
        }
        fprintf(out, "  %-12s %10s\n", "other", money_format(sums[b->count], spent));
    }
    free(sums);
}
''')),
    step("Wire it in: header, Makefile, command.",
         edit("src/tally.h", """
void json_export(const ledger *l, FILE *out);
""", """
/* What may be spent on a category in a month. */
typedef struct {
    char *category;
    cents limit;
} budget;

typedef struct {
    budget *rows;
    size_t count, room;
} budgets;

/* Lines of "category = amount"; '#' starts a comment. Complains as ledger_load does. */
bool budgets_load(budgets *b, const char *path);
void budgets_free(budgets *b);
const budget *budget_find(const budgets *b, const char *category);
void budget_report(const ledger *l, const budgets *b, FILE *out);

void json_export(const ledger *l, FILE *out);
""", "declare budgets"),
         edit("Makefile", "build/report.o build/json.o", "build/report.o build/budget.o build/json.o", "build budget.c"),
         edit("src/main.c", """
static int command_json(int argc, char **argv)
""", """
static int command_budget(int argc, char **argv)
{
    ledger l;
    budgets b = {0};
    int code = 65;

    if (argc != 2)
        return usage();
    ledger_init(&l);
    if (ledger_load(&l, argv[0]) && budgets_load(&b, argv[1])) {
        ledger_sort(&l);
        budget_report(&l, &b, stdout);
        code = 0;
    }
    budgets_free(&b);
    ledger_free(&l);
    return code;
}

static int command_json(int argc, char **argv)
""", "the budget command"),
         edit("src/main.c", """
    if (strcmp(argv[1], "json") == 0)
""", """
    if (strcmp(argv[1], "budget") == 0)
        return command_budget(argc - 2, argv + 2);
    if (strcmp(argv[1], "json") == 0)
""", "dispatch it"),
         edit("src/main.c", """
          "       tally json FILE\\n"
""", """
          "       tally budget FILE BUDGETS\\n"
          "       tally json FILE\\n"
""", "and name it in the usage")),
    step("", bash("make 2>&1")),
    step("Signed against unsigned: `count` is a `size_t` here, as in the ledger. The loops use int, and the difference of two pointers is signed.",
         bash("sed -i 's/for (int i = 0; i < b->count; i++)/for (size_t i = 0; i < b->count; i++)/' src/budget.c && grep -n 'for (' src/budget.c && make 2>&1")),
    step("The loops are done, the pointer difference is left. It cannot be negative: `row` comes from that very array.",
         edit("src/budget.c", "sums[row ? row - b->rows : b->count]", "sums[row ? (size_t)(row - b->rows) : b->count]", "an index is unsigned"),
         bash("make 2>&1")),
    step("It builds. A budget file with all the oddities I allow, over the sample year:",
         bash("""cat > build/budgets.txt <<'END'
# per month
food      = 60
transport = 40   # the tram, mostly
sport     = 25.50

rent = 840
END
build/tally budget build/year.csv build/budgets.txt | head -24; printf 'food = 1\\nfood = 2\\n' > build/twice.txt; build/tally budget build/year.csv build/twice.txt; echo "exit $?"; build/tally budget build/year.csv build/nope.txt; echo "exit $?" """)),
    step("Works, errors name file and line. Unit tests for the reader next; I'll use a temporary file under build/ because the loader takes a path.",
         write("tests/test_budget.c", r'''
#include "check.h"
#include "tally.h"

#include <stdlib.h>

static const char *path = "build/test_budget.txt";

static bool load(budgets *b, const char *text)
{
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
    *b = (budgets){0};
    return budgets_load(b, path);
}

static void refuses(const char *text, const char *what)
{
    budgets b;
    CHECK(!load(&b, text), what);
    budgets_free(&b);
}

int main(void)
{
    budgets b;

    CHECK(load(&b, "food = 300\n  rent=840.00  # flat\n\n# nothing\n"), "spaces, comments and blank lines");
    CHECK(b.count == 2, "two budgets");
    CHECK(budget_find(&b, "food") && budget_find(&b, "food")->limit == 30000, "food is 300.00");
    CHECK(budget_find(&b, "rent") && budget_find(&b, "rent")->limit == 84000, "rent is 840.00");
    CHECK(!budget_find(&b, "books"), "books has none");
    budgets_free(&b);
    CHECK(load(&b, "") && b.count == 0, "an empty file is no budgets");
    budgets_free(&b);
    refuses("food 300\n", "a line without '='");
    refuses("food = lots\n", "an amount that is none");
    refuses("food = 1\nfood = 2\n", "a category twice");
    refuses("= 3\n", "no category");
    return DONE();
}
'''),
         edit("Makefile", "build/test_csv build/test_report", "build/test_csv build/test_report build/test_budget", "run the new tests"),
         bash("make test 2>&1")),
    step("The last check fails: an empty name is accepted. The test is right, the reader is not.",
         edit("src/budget.c", """
    if (!money_parse(value, &row.limit)) {
""", """
    if (*name == '\\0') {
        fprintf(stderr, "%s:%d: no category\\n", path, number);
        return false;
    }
    if (!money_parse(value, &row.limit)) {
""", "a budget needs a category, as an entry does"),
         bash("make test 2>&1 | grep -vE '^(ok|cc|mkdir)'")),
    say("""
Budgets work: `tally budget FILE BUDGETS` prints one block per month with spent, limit and a bar, and everything without a budget as \
`other`. The two bugs are fixed and committed; the budget change is built and tested but not committed yet, in case you want \
to look at the output first:

    2025-01
      food              … of      60.00 [####................]

Not done yet: README, and the byte comparison for the CSV.
"""),
    user("""
Hm, I've changed my mind about the file. I don't want a second syntax next to the CSV. Make it a CSV as well: `category,limit`, same \
quoting rules as the expenses, no comments. And no bars, I want a percentage. And please call it `limits` everywhere, not \
budget: in my head a budget is the whole plan, this is just an upper limit.

The rule about the expense CSV stands, of course.
"""),
    step("Glad I did not commit. The plan again, with the new decisions written down:",
         todo("x Reproduce and fix the sign of small refunds", "x Reproduce and fix the crash with many categories",
              "> `tally limits FILE LIMITS`: LIMITS is CSV `category,limit`, no comments, percentages, no bars",
              "- rename budget to limits everywhere (files, types, command, messages, tests)", "- README",
              "- expense CSV unchanged: compare bytes before and after"),
         grep("[Bb]udget", ".")),
    step("`csv_read` already does the quoting. Let me re-read its contract before I build on it: what it returns for a blank line, and at the end of the file.",
         read("src/csv.c", 36, 52), read("tests/test_csv.c", 40, 25)),
    step("""
A blank line is one empty field, so it will be reported as `expected 2 columns, found 1`, the same as in the expenses. Good: the same rules. \
The nothing-committed state makes the rename simple: move the files, then rewrite what differs.
""", bash("mv src/budget.c src/limits.c && mv tests/test_budget.c tests/test_limits.c && sed -i 's/budget/limits/g' Makefile && git diff Makefile && git status --short")),
    step("", write("src/limits.c", r'''
#include "tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const limit *limits_find(const limits *all, const char *category)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->rows[i].category, category) == 0)
            return &all->rows[i];
    return NULL;
}

static void push(limits *all, limit row)
{
    if (all->count == all->room) {
        all->room = all->room ? all->room * 2 : 16;
        all->rows = realloc(all->rows, all->room * sizeof *all->rows);
        if (!all->rows) {
            fputs("tally: out of memory\n", stderr);
            exit(70);
        }
    }
    all->rows[all->count++] = row;
}

static bool load_row(limits *all, const char *path, int line, char **fields, int count)
{
    limit row = {0};
    if (count != 2) {
        fprintf(stderr, "%s:%d: expected 2 columns, found %d\n", path, line, count);
        return false;
    }
    if (fields[0][0] == '\0') {
        fprintf(stderr, "%s:%d: no category\n", path, line);
        return false;
    }
    if (!money_parse(fields[1], &row.most) || row.most < 0) {
        fprintf(stderr, "%s:%d: not a limit: '%s'\n", path, line, fields[1]);
        return false;
    }
    if (limits_find(all, fields[0])) {
        fprintf(stderr, "%s:%d: a second limit for '%s'\n", path, line, fields[0]);
        return false;
    }
    row.category = strdup(fields[0]);
    push(all, row);
    return true;
}

bool limits_load(limits *all, const char *path)
{
    char *fields[CSV_FIELDS];
    int line = 0;
    bool ok = true;
    FILE *in = fopen(path, "r");

    if (!in) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    while (ok) {
        int count = csv_read(in, fields);
        line++;
        if (count == 0)
            break;
        if (count < 0) {
            fprintf(stderr, "%s:%d: unbalanced quotes or too many columns\n", path, line);
            ok = false;
            break;
        }
        ok = load_row(all, path, line, fields, count);
        csv_free(fields, count);
    }
    fclose(in);
    return ok;
}

void limits_free(limits *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->rows[i].category);
    free(all->rows);
    *all = (limits){0};
}

/* Whole percent, rounded down: 100 is reached only when the limit is. A limit of nothing is over as soon as anything is spent. */
static void print_percent(cents spent, cents most, FILE *out)
{
    if (most > 0)
        fprintf(out, "%5lld%%\n", spent * 100 / most);
    else
        fprintf(out, "%6s\n", spent > 0 ? "over" : "0%");
}

/* The ledger must be sorted by date. */
void limits_report(const ledger *l, const limits *all, FILE *out)
{
    char spent[MONEY_TEXT], most[MONEY_TEXT];
    cents *sums = calloc(all->count + 1, sizeof *sums);
    size_t i = 0;

    if (!sums)
        exit(70);
    while (i < l->count) {
        date first = l->rows[i].when;
        memset(sums, 0, (all->count + 1) * sizeof *sums);
        for (; i < l->count && l->rows[i].when.year == first.year && l->rows[i].when.month == first.month; i++) {
            const limit *row = limits_find(all, l->rows[i].category);
            sums[row ? (size_t)(row - all->rows) : all->count] += l->rows[i].amount;
        }
        fprintf(out, "%04d-%02d\n", first.year, first.month);
        for (size_t k = 0; k < all->count; k++) {
            fprintf(out, "  %-12s %10s of %10s ", all->rows[k].category, money_format(sums[k], spent),
                    money_format(all->rows[k].most, most));
            print_percent(sums[k], all->rows[k].most, out);
        }
        fprintf(out, "  %-12s %10s\n", "other", money_format(sums[all->count], spent));
    }
    free(sums);
}
'''),
         edit("src/tally.h", """
/* What may be spent on a category in a month. */
typedef struct {
    char *category;
    cents limit;
} budget;

typedef struct {
    budget *rows;
    size_t count, room;
} budgets;

/* Lines of "category = amount"; '#' starts a comment. Complains as ledger_load does. */
bool budgets_load(budgets *b, const char *path);
void budgets_free(budgets *b);
const budget *budget_find(const budgets *b, const char *category);
void budget_report(const ledger *l, const budgets *b, FILE *out);
""", """
/* The most that is to be spent on a category in a month. */
typedef struct {
    char *category;
    cents most;
} limit;

typedef struct {
    limit *rows;
    size_t count, room;
} limits;

/* CSV of category,limit, quoted as the expenses are. Complains as ledger_load does. */
bool limits_load(limits *all, const char *path);
void limits_free(limits *all);
const limit *limits_find(const limits *all, const char *category);
void limits_report(const ledger *l, const limits *all, FILE *out);
""", "limits instead of budgets")),
    step("Now main.c. I re-read the part I changed, to edit it as it stands.", read("src/main.c", 1, 62)),
    step("", edit("src/main.c", """
static int command_budget(int argc, char **argv)
{
    ledger l;
    budgets b = {0};
    int code = 65;

    if (argc != 2)
        return usage();
    ledger_init(&l);
    if (ledger_load(&l, argv[0]) && budgets_load(&b, argv[1])) {
        ledger_sort(&l);
        budget_report(&l, &b, stdout);
        code = 0;
    }
    budgets_free(&b);
    ledger_free(&l);
    return code;
}
""", """
static int command_limits(int argc, char **argv)
{
    ledger l;
    limits all = {0};
    int code = 65;

    if (argc != 2)
        return usage();
    ledger_init(&l);
    if (ledger_load(&l, argv[0]) && limits_load(&all, argv[1])) {
        ledger_sort(&l);
        limits_report(&l, &all, stdout);
        code = 0;
    }
    limits_free(&all);
    ledger_free(&l);
    return code;
}
""", "limits instead of budgets"),
         edit("src/main.c", """
    if (strcmp(argv[1], "budget") == 0)
        return command_budget(argc - 2, argv + 2);
""", """
    if (strcmp(argv[1], "limits") == 0)
        return command_limits(argc - 2, argv + 2);
""", "limits instead of budgets"),
         edit("src/main.c", "tally budget FILE BUDGETS", "tally limits FILE LIMITS", "limits instead of budgets")),
    step("The tests: the oddities of the old syntax go, quoting and the column count come, and the report itself gets a test, which it did not have.",
         write("tests/test_limits.c", r'''
#include "check.h"
#include "tally.h"

#include <stdlib.h>

static const char *path = "build/test_limits.csv";

static bool load(limits *all, const char *text)
{
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
    *all = (limits){0};
    return limits_load(all, path);
}

static void refuses(const char *text, const char *what)
{
    limits all;
    CHECK(!load(&all, text), what);
    limits_free(&all);
}

static void put(ledger *l, int month, cents amount, const char *category)
{
    ledger_push(l, (entry){{2025, month, 1}, amount, strdup(category), strdup("")});
}

static void reports(const limits *all)
{
    ledger l;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    ledger_init(&l);
    put(&l, 1, 15000, "food");
    put(&l, 1, 999, "books");
    put(&l, 1, -50, "books");
    put(&l, 2, 30001, "food");
    put(&l, 2, 84000, "rent, flat");
    limits_report(&l, all, out);
    fclose(out);
    CHECK_TEXT(text,
               "2025-01\n"
               "  food             150.00 of     300.00    50%\n"
               "  rent, flat         0.00 of     840.00     0%\n"
               "  other              9.49\n"
               "2025-02\n"
               "  food             300.01 of     300.00   100%\n"
               "  rent, flat       840.00 of     840.00   100%\n"
               "  other              0.00\n",
               "every limit in every month, the rest as other");
    free(text);
    ledger_free(&l);
}

int main(void)
{
    limits all;

    CHECK(load(&all, "food,300\n\"rent, flat\",840.00\n"), "plain and quoted categories");
    CHECK(all.count == 2, "two limits");
    CHECK(limits_find(&all, "food") && limits_find(&all, "food")->most == 30000, "food is 300.00");
    CHECK(limits_find(&all, "rent, flat") != NULL, "a comma in a quoted category");
    CHECK(!limits_find(&all, "books"), "books has none");
    reports(&all);
    limits_free(&all);
    CHECK(load(&all, "") && all.count == 0, "an empty file is no limits");
    limits_free(&all);
    refuses("food\n", "one column");
    refuses("food,1,2\n", "three columns");
    refuses("food,lots\n", "a limit that is none");
    refuses("food,-1\n", "a limit below nothing");
    refuses("food,1\nfood,2\n", "a category twice");
    refuses(",3\n", "no category");
    refuses("# food,3\n\n", "a blank line, as in the expenses");
    return DONE();
}
'''),
         bash("make test 2>&1")),
    step("""
Green, but look at February: 300.01 of 300.00 prints as 100%. Rounded down it is true and useless: the one thing this command must show \
is *over* or *not over*. I'd rather round up as soon as anything is above the limit, so that 101% always means over and 100% never does.
""", edit("src/limits.c", """
/* Whole percent, rounded down: 100 is reached only when the limit is. A limit of nothing is over as soon as anything is spent. */
static void print_percent(cents spent, cents most, FILE *out)
{
    if (most > 0)
        fprintf(out, "%5lld%%\\n", spent * 100 / most);
    else
        fprintf(out, "%6s\\n", spent > 0 ? "over" : "0%");
}
""", """
/* Whole percent, rounded down below the limit and up above it: over the limit is always more than 100.
 * A limit of nothing is over as soon as anything is spent. */
static void print_percent(cents spent, cents most, FILE *out)
{
    if (most == 0)
        fprintf(out, "%6s\\n", spent > 0 ? "over" : "0%");
    else if (spent > most)
        fprintf(out, "%5lld%%\\n", (spent * 100 + most - 1) / most);
    else
        fprintf(out, "%5lld%%\\n", spent * 100 / most);
}
""", "a cent over the limit shows as 101%"),
         edit("tests/test_limits.c", "     300.00   100%", "     300.00   101%", "a cent over is over"),
         bash("make test 2>&1 | grep -vE '^ok'")),
    step("On the sample year, and a search that nothing of the old word is left:",
         bash("""printf 'food,60\\ntransport,40\\nsport,25.50\\nrent,840\\n' > build/limits.csv
build/tally limits build/year.csv build/limits.csv"""),
         grep("[Bb]udget", ".")),
    step("Clean. README: the command, the file, and what 101% means.",
         edit("README.md", """
    tally json   expenses.csv            everything as JSON, for other programs
""", """
    tally limits expenses.csv limits.csv what was spent each month against a limit
    tally json   expenses.csv            everything as JSON, for other programs
""", "name the command"),
         edit("README.md", """
## Building
""", """
## Limits

A second CSV, quoted by the same rules, two columns: `category,limit`. Each month lists every limit with what was spent and
the percentage; categories without a limit are summed as `other`. Over the limit is always more than 100%, be it by a cent.

## Building
""", "describe the limits file")),
    step("The promise about the format: the same `add` calls as at the beginning, compared byte by byte, and the loader over the sample year.",
         bash("""mkdir -p build/after && rm -f build/after/add.csv
while IFS='|' read -r day amount category note; do build/tally add build/after/add.csv "$day" "$amount" "$category" "$note"; done <<'END'
2025-01-03|12.40|food|lunch, two people
2025-01-04|-3|food|refund
2025-01-05|0.5|books|say "hi"
2025-01-06|+7.05|home|
2025-01-07|1000000|rent|caution
END
cmp build/before/add.csv build/after/add.csv && echo same bytes; sha256sum build/*/add.csv; git diff HEAD --stat -- src/csv.c src/ledger.c"""),
         bash("git add -A && git commit -q -m 'Show spending against monthly limits' -m 'tally limits FILE LIMITS, where LIMITS is a CSV of category,limit. The expense file is read as before and never written.' && git show --stat HEAD")),
    step("", todo("x Reproduce and fix the sign of small refunds", "x Reproduce and fix the crash with many categories",
                  "x `tally limits FILE LIMITS`: LIMITS is CSV `category,limit`, no comments, percentages, no bars",
                  "x rename budget to limits everywhere (files, types, command, messages, tests)", "x README",
                  "x expense CSV unchanged: compare bytes before and after")),
    say("""
Done, in three commits: the sign of small refunds, any number of categories, and `tally limits`.

- `limits.csv` is plain CSV, read by the same code as the expenses; a bad line is named with file and line.
- Percentages round down below the limit and up above it, so a cent too much shows as 101% and never as 100%.
- The expense format did not move: the same `add` calls write the same bytes as before my first change, and csv.c and \
ledger.c have no diff. One value differs on purpose: `add … -0.50` now writes `-0.50`; it used to write `0.50`.

Not done: `limits` has no JSON output.
"""),
    user("""
Perfect. One more, for cron: `tally limits --over FILE LIMITS` should print only the lines that are over, nothing at all when none \
is, and exit with 1 if something is over. Then show me the log and the complete diff since I handed it to you.
"""),
    step("Where the lines are printed and where the options are parsed:", read("src/limits.c", 82, 50), grep(r"argv\[0\]|usage\(\)", "src/main.c")),
    step("""
`limits_report` should tell how many were over; then the exit code is the caller's business. With `--over` the month heading must not \
appear unless a line follows it.
""", edit("src/limits.c", """
void limits_report(const ledger *l, const limits *all, FILE *out)
{
""", """
size_t limits_report(const ledger *l, const limits *all, bool only_over, FILE *out)
{
    size_t over = 0;
""", "count what is over"),
         edit("src/limits.c", """
        fprintf(out, "%04d-%02d\\n", first.year, first.month);
        for (size_t k = 0; k < all->count; k++) {
            fprintf(out, "  %-12s %10s of %10s", all->rows[k].category, money_format(sums[k], spent),
""", """
        fprintf(out, "%04d-%02d\\n", first.year, first.month);
        for (size_t k = 0; k < all->count; k++) {
            if (only_over && sums[k] <= all->rows[k].most)
                continue;
            fprintf(out, "  %-12s %10s of %10s", all->rows[k].category, money_format(sums[k], spent),
""", "skip what is within its limit")),
    step("The second edit missed: I quoted the format from memory, and it ends in a space. Reading it again, exactly.", read("src/limits.c", 96, 40)),
    step("", edit("src/limits.c", """
        fprintf(out, "%04d-%02d\\n", first.year, first.month);
        for (size_t k = 0; k < all->count; k++) {
            fprintf(out, "  %-12s %10s of %10s ", all->rows[k].category, money_format(sums[k], spent),
                    money_format(all->rows[k].most, most));
            print_percent(sums[k], all->rows[k].most, out);
        }
        fprintf(out, "  %-12s %10s\\n", "other", money_format(sums[all->count], spent));
    }
    free(sums);
}
""", """
        bool headed = false;
        for (size_t k = 0; k < all->count; k++) {
            bool is_over = sums[k] > all->rows[k].most;
            over += is_over;
            if (only_over && !is_over)
                continue;
            if (!headed)
                fprintf(out, "%04d-%02d\\n", first.year, first.month);
            headed = true;
            fprintf(out, "  %-12s %10s of %10s ", all->rows[k].category, money_format(sums[k], spent),
                    money_format(all->rows[k].most, most));
            print_percent(sums[k], all->rows[k].most, out);
        }
        if (!only_over)
            fprintf(out, "  %-12s %10s\\n", "other", money_format(sums[all->count], spent));
    }
    free(sums);
    return over;
}
""", "print only what is over, and say how much was"),
         edit("src/tally.h", """
void limits_report(const ledger *l, const limits *all, FILE *out);
""", """
/* Returns how many lines were over their limit, in all months. */
size_t limits_report(const ledger *l, const limits *all, bool only_over, FILE *out);
""", "the new signature"),
         edit("src/main.c", """
    int code = 65;

    if (argc != 2)
        return usage();
    ledger_init(&l);
    if (ledger_load(&l, argv[0]) && limits_load(&all, argv[1])) {
        ledger_sort(&l);
        limits_report(&l, &all, stdout);
        code = 0;
    }
""", """
    int code = 65;
    bool only_over = argc > 0 && strcmp(argv[0], "--over") == 0;

    if (only_over) {
        argc--;
        argv++;
    }
    if (argc != 2)
        return usage();
    ledger_init(&l);
    if (ledger_load(&l, argv[0]) && limits_load(&all, argv[1])) {
        ledger_sort(&l);
        size_t over = limits_report(&l, &all, only_over, stdout);
        code = only_over && over > 0 ? 1 : 0;
    }
""", "--over, and its exit code"),
         edit("src/main.c", "tally limits FILE LIMITS", "tally limits [--over] FILE LIMITS", "in the usage")),
    step("", bash("make test 2>&1")),
    step("Of course: the test calls the old signature. One more thing I notice by reading my own change: with no limits at all, the plain report now prints `other` without its month, because the heading comes with the first line. Both at once.",
         edit("src/limits.c", """
        bool headed = false;
""", """
        bool headed = !only_over;
        if (headed)
            fprintf(out, "%04d-%02d\\n", first.year, first.month);
""", "the plain report always names its month"),
         edit("tests/test_limits.c", """
    limits_report(&l, all, out);
    fclose(out);
""", """
    CHECK(limits_report(&l, all, false, out) == 1, "one line is over");
    fclose(out);
""", "the count is part of the answer"),
         edit("tests/cli.sh", """
$tally 2> /dev/null
""", """
printf 'food,12.40\\nrent,800\\n' > $work/fits.csv
printf 'food,12.39\\nrent,800\\n' > $work/tight.csv
is "nothing over is silent" "$($tally limits --over $work/a.csv $work/fits.csv; echo $?)" 0
is "over is listed, with its month" "$($tally limits --over $work/a.csv $work/tight.csv | tr -s ' ')" "2025-01
 food 12.40 of 12.39 101%"
$tally limits --over $work/a.csv $work/tight.csv > /dev/null
is "and is exit 1" "$?" 1
$tally limits $work/a.csv $work/tight.csv > /dev/null
is "without --over it is exit 0" "$?" 0
: > $work/none.limits
is "without limits there is still a month" "$($tally limits $work/a.csv $work/none.limits | tr -s ' ')" "2025-01
 other 812.40"
$tally 2> /dev/null
""", "the cron cases, end to end")),
    step("", bash("make test 2>&1")),
    step("All green. The sanitizer once more over everything, since the loop changed, and the README line.",
         bash("""gcc -std=c11 -D_POSIX_C_SOURCE=200809L -g -O0 -fsanitize=address,undefined -fno-omit-frame-pointer -o build/asan/tally src/*.c && build/asan/tally limits --over build/year.csv build/limits.csv; echo "exit $?"; build/asan/tally limits build/twenty.csv /dev/null; echo "exit $?" """),
         edit("README.md", """
the percentage; categories without a limit are summed as `other`. Over the limit is always more than 100%, be it by a cent.
""", """
the percentage; categories without a limit are summed as `other`. Over the limit is always more than 100%, be it by a cent.
`tally limits --over` prints only what is over, nothing if nothing is, and exits with 1 if something is: made for cron.
""", "document --over")),
    step("", bash("git add -A && git commit -q -m 'Let cron ask what is over its limit' -m 'tally limits --over prints only the lines over their limit and exits with 1 if there are any.' && git status --short && git log --stat --format='%h %ad %s' --date=short"),
         bash("git diff HEAD~4 HEAD")),
    step("A last look at the two files that I changed most, as they are now, and the fingerprint of the format.",
         read("src/limits.c", 60, 80), read("src/main.c", 8, 60),
         bash("cmp build/before/add.csv build/after/add.csv && rm -f build/last.csv && build/tally add build/last.csv 2025-01-03 12.40 food 'lunch, two people' && head -1 build/before/add.csv | cmp - build/last.csv && echo unchanged")),
    say("""
`tally limits --over FILE LIMITS` is in: only lines over their limit, silent when there are none, exit 1 when there are. Without \
`--over` the exit code stays 0. The log has four commits since you handed it over; the complete diff is above.

The expense CSV is byte for byte what it was. csv.c and ledger.c were not touched at all.

Two things I noticed and left alone: `report` has no way to pick one year, and json.c writes amounts as JSON numbers, which some \
readers take as floats.
"""),
]
