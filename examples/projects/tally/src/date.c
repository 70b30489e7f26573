#include "tally.h"

#include <ctype.h>

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month == 2 && is_leap(year))
        return 29;
    return days[month - 1];
}

static bool number(const char *text, int length, int *out)
{
    *out = 0;
    for (int i = 0; i < length; i++) {
        if (!isdigit((unsigned char)text[i]))
            return false;
        *out = *out * 10 + (text[i] - '0');
    }
    return true;
}

/* Exactly YYYY-MM-DD, and a day that exists. */
bool date_parse(const char *text, date *out)
{
    date d;
    for (int i = 0; i < 10; i++)
        if (text[i] == '\0')
            return false;
    if (text[10] != '\0' || text[4] != '-' || text[7] != '-')
        return false;
    if (!number(text, 4, &d.year) || !number(text + 5, 2, &d.month) || !number(text + 8, 2, &d.day))
        return false;
    if (d.month < 1 || d.month > 12 || d.day < 1 || d.day > days_in(d.year, d.month))
        return false;
    *out = d;
    return true;
}

const char *date_format(date d, char *buf)
{
    snprintf(buf, DATE_TEXT, "%04d-%02d-%02d", d.year % 10000, d.month % 100, d.day % 100);
    return buf;
}

int date_compare(date a, date b)
{
    if (a.year != b.year)
        return a.year < b.year ? -1 : 1;
    if (a.month != b.month)
        return a.month < b.month ? -1 : 1;
    if (a.day != b.day)
        return a.day < b.day ? -1 : 1;
    return 0;
}
