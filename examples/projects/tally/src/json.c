#include "tally.h"

/* Quotes and escapes as RFC 8259 asks; bytes above 0x7f pass, the file is taken to be UTF-8. */
void json_string(const char *text, FILE *out)
{
    putc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", out);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

void json_export(const ledger *l, FILE *out)
{
    char money[MONEY_TEXT], day[DATE_TEXT];

    fputs("[\n", out);
    for (size_t i = 0; i < l->count; i++) {
        const entry *e = &l->rows[i];
        fprintf(out, "  {\"date\": \"%s\", \"amount\": %s, \"category\": ", date_format(e->when, day),
                money_format(e->amount, money));
        json_string(e->category, out);
        fputs(", \"note\": ", out);
        json_string(e->note, out);
        fputs(i + 1 < l->count ? "},\n" : "}\n", out);
    }
    fputs("]\n", out);
}
