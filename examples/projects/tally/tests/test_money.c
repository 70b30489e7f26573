#include "check.h"
#include "tally.h"

static void parses(const char *text, cents want)
{
    char what[80];
    cents got = 12345;
    bool ok = money_parse(text, &got);
    snprintf(what, sizeof what, "'%s' is %lld cents", text, want);
    CHECK(ok && got == want, what);
}

static void refuses(const char *text)
{
    char what[80];
    cents got;
    snprintf(what, sizeof what, "'%s' is no amount", text);
    CHECK(!money_parse(text, &got), what);
}

static void prints(cents amount, const char *want)
{
    char what[80], buf[MONEY_TEXT];
    snprintf(what, sizeof what, "%lld cents print as %s", amount, want);
    CHECK_TEXT(money_format(amount, buf), want, what);
}

int main(void)
{
    parses("0", 0);
    parses("1", 100);
    parses("12.4", 1240);
    parses("12.40", 1240);
    parses("12.04", 1204);
    parses("-3", -300);
    parses("-0.5", -50);
    parses("+3.05", 305);
    parses("1000000", 100000000);
    refuses("");
    refuses("-");
    refuses(".");
    refuses("1.");
    refuses("1.234");
    refuses("1,5");
    refuses("1 000");
    refuses("12e3");
    refuses("99999999999999999999");
    prints(0, "0.00");
    prints(5, "0.05");
    prints(1240, "12.40");
    prints(-1240, "-12.40");
    prints(100000000, "1000000.00");
    return DONE();
}
