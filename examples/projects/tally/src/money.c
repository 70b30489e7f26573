#include "tally.h"

#include <ctype.h>
#include <limits.h>

/* Accepts "12", "12.4", "12.40", "-3", "+3.05". No spaces, no thousands separators, at most two decimals. */
bool money_parse(const char *text, cents *out)
{
    bool negative = false;
    cents value = 0;
    int decimals = -1;
    int digits = 0;

    if (*text == '-' || *text == '+') {
        negative = *text == '-';
        text++;
    }
    for (; *text; text++) {
        if (*text == '.') {
            if (decimals >= 0)
                return false;
            decimals = 0;
            continue;
        }
        if (!isdigit((unsigned char)*text))
            return false;
        if (decimals >= 0 && ++decimals > 2)
            return false;
        if (value > (LLONG_MAX - 9) / 10 / 100)
            return false;
        value = value * 10 + (*text - '0');
        digits++;
    }
    if (digits == 0 || decimals == 0)
        return false;
    for (int i = decimals < 0 ? 0 : decimals; i < 2; i++)
        value *= 10;
    *out = negative ? -value : value;
    return true;
}

const char *money_format(cents amount, char *buf)
{
    cents whole = amount / 100;
    cents rest = amount % 100;

    if (rest < 0)
        rest = -rest;
    snprintf(buf, MONEY_TEXT, "%lld.%02lld", whole, rest);
    return buf;
}
