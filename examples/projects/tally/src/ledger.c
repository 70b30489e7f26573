#include "tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ledger_init(ledger *l)
{
    *l = (ledger){0};
}

void ledger_free(ledger *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->rows[i].category);
        free(l->rows[i].note);
    }
    free(l->rows);
    *l = (ledger){0};
}

void ledger_push(ledger *l, entry e)
{
    if (l->count == l->room) {
        l->room = l->room ? l->room * 2 : 64;
        l->rows = realloc(l->rows, l->room * sizeof *l->rows);
        if (!l->rows) {
            fputs("tally: out of memory\n", stderr);
            exit(70);
        }
    }
    l->rows[l->count++] = e;
}

static int by_date(const void *a, const void *b)
{
    return date_compare(((const entry *)a)->when, ((const entry *)b)->when);
}

void ledger_sort(ledger *l)
{
    qsort(l->rows, l->count, sizeof *l->rows, by_date);
}

cents ledger_total(const ledger *l)
{
    cents total = 0;
    for (size_t i = 0; i < l->count; i++)
        total += l->rows[i].amount;
    return total;
}

static bool complain(const char *path, int line, const char *what, const char *value)
{
    if (value)
        fprintf(stderr, "%s:%d: %s: '%s'\n", path, line, what, value);
    else
        fprintf(stderr, "%s:%d: %s\n", path, line, what);
    return false;
}

static bool load_row(ledger *l, const char *path, int line, char **fields, int count)
{
    entry e = {0};
    if (count != 4) {
        fprintf(stderr, "%s:%d: expected 4 columns, found %d\n", path, line, count);
        return false;
    }
    if (!date_parse(fields[0], &e.when))
        return complain(path, line, "not a date (YYYY-MM-DD)", fields[0]);
    if (!money_parse(fields[1], &e.amount))
        return complain(path, line, "not an amount", fields[1]);
    if (fields[2][0] == '\0')
        return complain(path, line, "no category", NULL);
    e.category = strdup(fields[2]);
    e.note = strdup(fields[3]);
    ledger_push(l, e);
    return true;
}

bool ledger_load(ledger *l, const char *path)
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
            ok = complain(path, line, "unbalanced quotes or too many columns", NULL);
            break;
        }
        ok = load_row(l, path, line, fields, count);
        csv_free(fields, count);
    }
    fclose(in);
    return ok;
}

bool ledger_append(const char *path, const entry *e)
{
    char money[MONEY_TEXT], day[DATE_TEXT];
    FILE *out = fopen(path, "a");

    if (!out) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    csv_write_field(out, date_format(e->when, day));
    putc(',', out);
    csv_write_field(out, money_format(e->amount, money));
    putc(',', out);
    csv_write_field(out, e->category);
    putc(',', out);
    csv_write_field(out, e->note);
    putc('\n', out);
    if (fclose(out) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    return true;
}
