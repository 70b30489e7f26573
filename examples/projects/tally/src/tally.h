#ifndef TALLY_H
#define TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Money is whole cents: no rounding anywhere but where a human reads it. */
typedef long long cents;

bool money_parse(const char *text, cents *out);
/* Writes "-12.40" into buf; buf must hold MONEY_TEXT bytes. */
#define MONEY_TEXT 32
const char *money_format(cents amount, char *buf);

typedef struct {
    int year, month, day;
} date;

bool date_parse(const char *text, date *out);
const char *date_format(date d, char *buf); /* buf holds DATE_TEXT bytes */
#define DATE_TEXT 16
int date_compare(date a, date b);

/* One row of the file. Strings are owned by the row. */
typedef struct {
    date when;
    cents amount;
    char *category;
    char *note;
} entry;

typedef struct {
    entry *rows;
    size_t count, room;
} ledger;

void ledger_init(ledger *l);
void ledger_free(ledger *l);
/* Takes ownership of the strings in e. */
void ledger_push(ledger *l, entry e);
void ledger_sort(ledger *l);
cents ledger_total(const ledger *l);

/* Reads one record into at most CSV_FIELDS fields; returns their number, 0 at the end of the file, -1 if malformed.
 * The fields are allocated; free them with csv_free. */
#define CSV_FIELDS 8
int csv_read(FILE *in, char **fields);
void csv_free(char **fields, int count);
void csv_write_field(FILE *out, const char *text);

/* Prints "PATH:LINE: what is wrong" to stderr and returns false at the first bad line. */
bool ledger_load(ledger *l, const char *path);
bool ledger_append(const char *path, const entry *e);

void report_by_category(const ledger *l, FILE *out);
void report_by_month(const ledger *l, FILE *out);

void json_export(const ledger *l, FILE *out);
void json_string(const char *text, FILE *out);

#endif
