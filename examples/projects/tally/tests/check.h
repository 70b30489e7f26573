/* A test program prints one line per check, TAP style, and fails if any of them failed. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <string.h>

static int check_number, check_failures;

static inline void check(int ok, const char *what, const char *file, int line)
{
    printf("%s %d - %s\n", ok ? "ok" : "not ok", ++check_number, what);
    if (!ok) {
        printf("#   %s:%d\n", file, line);
        check_failures++;
    }
}

static inline void check_text(const char *got, const char *want, const char *what, const char *file, int line)
{
    int ok = strcmp(got, want) == 0;
    check(ok, what, file, line);
    if (!ok)
        printf("#   got:  \"%s\"\n#   want: \"%s\"\n", got, want);
}

#define CHECK(condition, what) check(!!(condition), what, __FILE__, __LINE__)
#define CHECK_TEXT(got, want, what) check_text(got, want, what, __FILE__, __LINE__)
#define DONE() (printf("1..%d\n", check_number), check_failures ? 1 : 0)

#endif
