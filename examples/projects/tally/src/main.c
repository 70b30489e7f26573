#include "tally.h"

#include <stdlib.h>
#include <string.h>

static int usage(void)
{
    fputs("usage: tally report [-m] FILE\n"
          "       tally json FILE\n"
          "       tally add FILE DATE AMOUNT CATEGORY [NOTE]\n",
          stderr);
    return 64;
}

static int command_report(int argc, char **argv)
{
    bool by_month = argc > 0 && strcmp(argv[0], "-m") == 0;
    ledger l;

    if (by_month) {
        argc--;
        argv++;
    }
    if (argc != 1)
        return usage();
    ledger_init(&l);
    if (!ledger_load(&l, argv[0])) {
        ledger_free(&l);
        return 65;
    }
    ledger_sort(&l);
    if (by_month)
        report_by_month(&l, stdout);
    else
        report_by_category(&l, stdout);
    ledger_free(&l);
    return 0;
}

static int command_json(int argc, char **argv)
{
    ledger l;
    if (argc != 1)
        return usage();
    ledger_init(&l);
    if (!ledger_load(&l, argv[0])) {
        ledger_free(&l);
        return 65;
    }
    json_export(&l, stdout);
    ledger_free(&l);
    return 0;
}

static int command_add(int argc, char **argv)
{
    entry e = {0};
    if (argc != 4 && argc != 5)
        return usage();
    if (!date_parse(argv[1], &e.when)) {
        fprintf(stderr, "tally: not a date (YYYY-MM-DD): '%s'\n", argv[1]);
        return 65;
    }
    if (!money_parse(argv[2], &e.amount)) {
        fprintf(stderr, "tally: not an amount: '%s'\n", argv[2]);
        return 65;
    }
    e.category = argv[3];
    e.note = argc == 5 ? argv[4] : "";
    return ledger_append(argv[0], &e) ? 0 : 73;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return usage();
    if (strcmp(argv[1], "report") == 0)
        return command_report(argc - 2, argv + 2);
    if (strcmp(argv[1], "json") == 0)
        return command_json(argc - 2, argv + 2);
    if (strcmp(argv[1], "add") == 0)
        return command_add(argc - 2, argv + 2);
    return usage();
}
