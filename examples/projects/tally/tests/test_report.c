#include "check.h"
#include "tally.h"

#include <stdlib.h>

static void put(ledger *l, int month, int day, cents amount, const char *category)
{
    ledger_push(l, (entry){{2025, month, day}, amount, strdup(category), strdup("")});
}

static char *render(const ledger *l, void (*report)(const ledger *, FILE *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    report(l, out);
    fclose(out);
    return text;
}

int main(void)
{
    ledger l;
    char *text;

    ledger_init(&l);
    text = render(&l, report_by_category);
    CHECK_TEXT(text, "0 entries\n  total            0.00\n", "an empty ledger has a total of nothing");
    free(text);

    put(&l, 2, 1, 1240, "food");
    put(&l, 1, 5, 80000, "rent");
    put(&l, 2, 9, 350, "food");
    text = render(&l, report_by_category);
    CHECK_TEXT(text,
               "3 entries\n"
               "  rent           800.00     1\n"
               "  food            15.90     2\n"
               "  total          815.90\n",
               "categories by size, with the number of entries");
    free(text);

    ledger_sort(&l);
    CHECK(l.rows[0].when.month == 1, "sorting puts January first");
    text = render(&l, report_by_month);
    CHECK_TEXT(text,
               "2025-01\n"
               "  rent           800.00     1\n"
               "  total          800.00\n"
               "2025-02\n"
               "  food            15.90     2\n"
               "  total           15.90\n",
               "one block per month");
    free(text);
    CHECK(ledger_total(&l) == 81590, "the total is the sum of the rows");
    ledger_free(&l);
    return DONE();
}
