#include "check.h"
#include "tally.h"

#include <stdlib.h>

/* Reads one record and prints it back as [a|b|c]. */
static void reads(const char *text, const char *want, const char *what)
{
    char got[256] = "[";
    char *fields[CSV_FIELDS];
    FILE *in = fmemopen((void *)text, strlen(text), "r");
    int count = csv_read(in, fields);

    if (count < 0) {
        CHECK_TEXT("malformed", want, what);
    } else {
        for (int i = 0; i < count; i++) {
            strcat(got, i ? "|" : "");
            strcat(got, fields[i]);
        }
        strcat(got, "]");
        CHECK_TEXT(got, want, what);
        csv_free(fields, count);
    }
    fclose(in);
}

static void writes(const char *text, const char *want, const char *what)
{
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    csv_write_field(out, text);
    fclose(out);
    CHECK_TEXT(got, want, what);
    free(got);
}

int main(void)
{
    reads("a,b,c\n", "[a|b|c]", "plain fields");
    reads("a,b,c", "[a|b|c]", "no newline at the end");
    reads(",,\n", "[||]", "empty fields");
    reads("\n", "[]", "an empty line is one empty field");
    reads("\"a,b\",c\n", "[a,b|c]", "a comma inside quotes");
    reads("\"say \"\"hi\"\"\",c\n", "[say \"hi\"|c]", "doubled quotes");
    reads("\"two\nlines\",c\n", "[two\nlines|c]", "a line break inside quotes");
    reads("\"\",c\n", "[|c]", "an empty quoted field");
    reads("\"open,c\n", "malformed", "a quote that never closes");
    reads("a\"b,c\n", "malformed", "a quote inside a plain field");
    reads("\"a\"b,c\n", "malformed", "text behind a closing quote");
    reads("1,2,3,4,5,6,7,8,9\n", "malformed", "more fields than anyone needs");
    writes("lunch", "lunch", "plain text stays plain");
    writes("a,b", "\"a,b\"", "a comma asks for quotes");
    writes("say \"hi\"", "\"say \"\"hi\"\"\"", "quotes are doubled");
    writes("two\nlines", "\"two\nlines\"", "a line break asks for quotes");
    writes("", "", "nothing stays nothing");
    return DONE();
}
