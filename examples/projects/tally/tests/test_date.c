#include "check.h"
#include "tally.h"

static void accepts(const char *text)
{
    char what[80], buf[DATE_TEXT];
    date d = {0};
    bool ok = date_parse(text, &d);
    snprintf(what, sizeof what, "%s is a date and prints as itself", text);
    CHECK(ok && strcmp(date_format(d, buf), text) == 0, what);
}

static void refuses(const char *text)
{
    char what[80];
    date d;
    snprintf(what, sizeof what, "'%s' is no date", text);
    CHECK(!date_parse(text, &d), what);
}

int main(void)
{
    date a = {2025, 3, 1}, b = {2025, 3, 2}, c = {2024, 12, 31};
    accepts("2025-01-01");
    accepts("2025-12-31");
    accepts("2024-02-29");
    accepts("2000-02-29");
    refuses("2025-02-29");
    refuses("1900-02-29");
    refuses("2025-04-31");
    refuses("2025-13-01");
    refuses("2025-00-10");
    refuses("2025-1-1");
    refuses("2025-01-01T00:00");
    refuses("01.02.2025");
    refuses("");
    CHECK(date_compare(a, b) < 0, "a day earlier is smaller");
    CHECK(date_compare(b, a) > 0, "a day later is larger");
    CHECK(date_compare(c, a) < 0, "the year decides first");
    CHECK(date_compare(a, a) == 0, "a date equals itself");
    return DONE();
}
