"""A session with everything that makes Claude Code's files a tree: parallel calls, a sub-agent, a rewound branch, a compaction."""
from recorder.script import Abandoned, Compact, Delegate, bash, edit, grep, read, say, step, todo, user

PROJECT = "tally"
COMMITS = [("Expenses, added up", ".")]
SYSTEM = ""

EVENTS = [
    user("Add `--year 2025` to `tally report`, so that only that year counts. Never change the CSV format."),
    step("I'll read the command and the report together.", read("src/main.c", 1, 45), read("src/report.c", 60, 32), grep("when\\.year", "src"),
         thinking="The filter belongs where the ledger is loaded or where it is reported. Look at both."),
    step("Before I decide where to filter: who else walks over the rows?", Delegate(
        "Find loops over rows", "Which functions in src/ loop over ledger rows, and which of them would have to know about a year filter? Read only.",
        [step("", grep(r"->rows\[", "src")), step("", read("src/ledger.c", 45, 8), read("src/json.c", 20, 20))],
        "Four functions loop over rows: ledger_total (ledger.c), json_export (json.c), report_by_category and report_by_month (report.c). None of them needs to know about a filter if rows of other years are removed once, right after loading.")),
    step("One place then: drop the other years after loading.", todo("> ledger_keep_year in ledger.c", "- --year in main.c", "- tests")),
    step("", edit("src/tally.h", """
cents ledger_total(const ledger *l);
""", """
cents ledger_total(const ledger *l);
/* Forgets the rows of all other years. */
void ledger_keep_year(ledger *l, int year);
""", "declare it"), edit("src/ledger.c", """
cents ledger_total(const ledger *l)
{
""", """
void ledger_keep_year(ledger *l, int year)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (l->rows[i].when.year == year) {
            l->rows[kept++] = l->rows[i];
        } else {
            free_row(&l->rows[i]);
        }
    }
    l->count = kept;
}

cents ledger_total(const ledger *l)
{
""", "drop other years")),
    step("", bash("make 2>&1")),
    step("`free_row` does not exist yet: `ledger_free` frees inline. I'll take that loop apart.", edit("src/ledger.c", """
void ledger_free(ledger *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->rows[i].category);
        free(l->rows[i].note);
    }
""", """
static void free_row(entry *e)
{
    free(e->category);
    free(e->note);
}

void ledger_free(ledger *l)
{
    for (size_t i = 0; i < l->count; i++)
        free_row(&l->rows[i]);
""", "one place that frees a row"), bash("make 2>&1 | tail -3")),
    Abandoned([
        user("Could it take a range as well, like `--year 2023-2025`?"),
        step("Let me see whether anything in the code speaks of ranges.", grep("range|between", "src")),
        say("Nothing does. It would be a second date and a comparison; about twenty lines."),
    ]),
    user("No ranges. But the same option for `json`, please."),
    step("Both commands load in the same way, so one helper serves both.", read("src/main.c", 14, 42),
         thinking="command_report and command_json share the load. A small function load(path, year) keeps them short."),
    Compact("""The user wants `--year YYYY` for `tally report` and `tally json`; no ranges; the CSV format must never change. Done: `ledger_keep_year` (tally.h, ledger.c) and `free_row` in ledger.c; it builds. Pending: parse `--year` in src/main.c for both commands (`command_report` has `-m` already), usage text, a test in tests/cli.sh, commit."""),
    step("Going on with main.c.", read("src/main.c", 1, 56)),
    step("", edit("src/main.c", """
static int command_report(int argc, char **argv)
""", """
/* Takes "--year YYYY" off the front of the arguments; 0 if it is not there, -1 if it is no year. */
static int take_year(int *argc, char ***argv)
{
    int year;
    if (*argc < 2 || strcmp((*argv)[0], "--year") != 0)
        return 0;
    year = atoi((*argv)[1]);
    *argc -= 2;
    *argv += 2;
    return year > 0 ? year : -1;
}

static int command_report(int argc, char **argv)
""", "one parser for both commands"), edit("src/main.c", """
    if (argc != 1)
        return usage();
    ledger_init(&l);
    if (!ledger_load(&l, argv[0])) {
        ledger_free(&l);
        return 65;
    }
    ledger_sort(&l);
""", """
    int year = take_year(&argc, &argv);
    if (argc != 1 || year < 0)
        return usage();
    ledger_init(&l);
    if (!ledger_load(&l, argv[0])) {
        ledger_free(&l);
        return 65;
    }
    if (year)
        ledger_keep_year(&l, year);
    ledger_sort(&l);
""", "report"), edit("src/main.c", """
    if (argc != 1)
        return usage();
    ledger_init(&l);
    if (!ledger_load(&l, argv[0])) {
        ledger_free(&l);
        return 65;
    }
    json_export(&l, stdout);
""", """
    int year = take_year(&argc, &argv);
    if (argc != 1 || year < 0)
        return usage();
    ledger_init(&l);
    if (!ledger_load(&l, argv[0])) {
        ledger_free(&l);
        return 65;
    }
    if (year)
        ledger_keep_year(&l, year);
    json_export(&l, stdout);
""", "json")),
    step("", edit("tests/cli.sh", """
$tally 2> /dev/null
""", """
printf '2024-12-31,1,food,\\n2025-01-01,2,food,\\n' > $work/two.csv
is "one year only" "$($tally report --year 2025 $work/two.csv | tail -1 | tr -s ' ')" " total 2.00"
is "in the export too" "$($tally json --year 2024 $work/two.csv | grep -c '"date"')" 1
$tally report --year soon $work/two.csv 2> /dev/null
is "a year is a number" "$?" 64
$tally 2> /dev/null
""", "the option, end to end"), bash("sed -i 's/tally report \\[-m\\] FILE/tally report [-m] [--year YYYY] FILE/; s/tally json FILE/tally json [--year YYYY] FILE/' src/main.c && make test 2>&1 | tail -16")),
    step("", bash("git commit -qam 'Report and export one year' && git show --stat HEAD"), todo("x ledger_keep_year in ledger.c", "x --year in main.c", "x tests")),
    say("`tally report --year 2025 FILE` and `tally json --year 2025 FILE` count that year only. The CSV code is untouched. `-m` comes before `--year`."),
]
