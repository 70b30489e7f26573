#include "tally.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CATEGORIES 12

typedef struct {
    const char *category; /* borrowed from the ledger */
    cents total;
    int entries;
} bucket;

typedef struct {
    bucket buckets[MAX_CATEGORIES];
    int count;
} buckets;

static bucket *find(buckets *b, const char *category)
{
    for (int i = 0; i < b->count; i++)
        if (strcmp(b->buckets[i].category, category) == 0)
            return &b->buckets[i];
    b->buckets[b->count] = (bucket){.category = category};
    return &b->buckets[b->count++];
}

static int by_total(const void *a, const void *b)
{
    const bucket *x = a, *y = b;
    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    return strcmp(x->category, y->category);
}

static int widest(const buckets *b)
{
    int width = 8;
    for (int i = 0; i < b->count; i++) {
        int length = (int)strlen(b->buckets[i].category);
        if (length > width)
            width = length;
    }
    return width;
}

static void print_buckets(buckets *b, FILE *out)
{
    char money[MONEY_TEXT];
    cents total = 0;
    int width = widest(b);

    qsort(b->buckets, (size_t)b->count, sizeof *b->buckets, by_total);
    for (int i = 0; i < b->count; i++) {
        bucket *it = &b->buckets[i];
        fprintf(out, "  %-*s %12s  %4d\n", width, it->category, money_format(it->total, money), it->entries);
        total += it->total;
    }
    fprintf(out, "  %-*s %12s\n", width, "total", money_format(total, money));
}

static void collect(buckets *b, const entry *e)
{
    bucket *it = find(b, e->category);
    it->total += e->amount;
    it->entries++;
}

void report_by_category(const ledger *l, FILE *out)
{
    buckets all = {0};
    for (size_t i = 0; i < l->count; i++)
        collect(&all, &l->rows[i]);
    fprintf(out, "%zu entries\n", l->count);
    print_buckets(&all, out);
}

/* The ledger must be sorted by date. */
void report_by_month(const ledger *l, FILE *out)
{
    size_t i = 0;
    while (i < l->count) {
        buckets month = {0};
        int year = l->rows[i].when.year;
        int number = l->rows[i].when.month;
        for (; i < l->count && l->rows[i].when.year == year && l->rows[i].when.month == number; i++)
            collect(&month, &l->rows[i]);
        fprintf(out, "%04d-%02d\n", year, number);
        print_buckets(&month, out);
    }
}
