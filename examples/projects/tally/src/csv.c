#include "tally.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    char *text;
    size_t length, room;
} buffer;

static void push(buffer *b, char c)
{
    if (b->length + 1 >= b->room) {
        b->room = b->room ? b->room * 2 : 32;
        b->text = realloc(b->text, b->room);
        if (!b->text) {
            fputs("tally: out of memory\n", stderr);
            exit(70);
        }
    }
    b->text[b->length++] = c;
    b->text[b->length] = '\0';
}

static char *take(buffer *b)
{
    char *text = b->text;
    if (!text) {
        text = calloc(1, 1);
        if (!text)
            exit(70);
    }
    *b = (buffer){0};
    return text;
}

/* The states of RFC 4180: a field is plain until its first character is a quote. */
int csv_read(FILE *in, char **fields)
{
    buffer field = {0};
    int count = 0;
    int c = getc(in);

    if (c == EOF)
        return 0;
    for (;;) {
        if (c == '"') {
            for (;;) {
                c = getc(in);
                if (c == EOF)
                    goto malformed;
                if (c == '"') {
                    c = getc(in);
                    if (c != '"')
                        break;
                }
                push(&field, (char)c);
            }
            if (c != ',' && c != '\n' && c != EOF)
                goto malformed;
        } else {
            while (c != ',' && c != '\n' && c != EOF) {
                if (c == '"')
                    goto malformed;
                push(&field, (char)c);
                c = getc(in);
            }
        }
        if (count == CSV_FIELDS)
            goto malformed;
        fields[count++] = take(&field);
        if (c != ',')
            return count;
        c = getc(in);
    }

malformed:
    free(field.text);
    csv_free(fields, count);
    return -1;
}

void csv_free(char **fields, int count)
{
    for (int i = 0; i < count; i++)
        free(fields[i]);
}

void csv_write_field(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}
