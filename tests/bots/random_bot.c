/* A bot for every rule set that plays a random legal move, written from the protocol page alone.
 *
 * It knows as much JSON as a line of the referee needs: `field` finds a key of the outermost
 * object, skipping strings and whatever is nested. C standard library only.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state;

static uint64_t next_random(void) /* xorshift64* */
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 2685821657736338717ULL;
}

/* Behind the string that begins at `text`. */
static const char *after_string(const char *text)
{
    for (text++; *text != '"'; text++)
        if (*text == '\\')
            text++;
    return text + 1;
}

/* Where the value of `key` in the object `line` begins; NULL without such a key. */
static const char *field(const char *line, const char *key)
{
    size_t length = strlen(key);
    int depth = 0, at_key = 0;
    while (*line) {
        if (*line == '"') {
            const char *end = after_string(line);
            if (depth == 1 && at_key && (size_t)(end - line) == length + 2
                && memcmp(line + 1, key, length) == 0) {
                end += strspn(end, " \t:");
                return end;
            }
            at_key = 0;
            line = end;
            continue;
        }
        if (*line == '{' || *line == '[')
            depth++;
        if (*line == '}' || *line == ']')
            depth--;
        at_key = depth == 1 && (*line == '{' || *line == ',');
        line++;
        line += strspn(line, " \t");
    }
    return NULL;
}

static int is_type(const char *line, const char *type)
{
    const char *value = field(line, "type");
    size_t length = strlen(type);
    return value && memcmp(value + 1, type, length) == 0 && value[1 + length] == '"';
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (is_type(line, "start")) {
            random_state = strtoull(field(line, "seed"), NULL, 10) * 2 + 1;
            puts("{\"type\":\"ready\",\"name\":\"random-c\",\"version\":\"1\"}");
        } else if (is_type(line, "turn")) {
            const char *legal = field(line, "legal"), *move = legal, *chosen = NULL;
            uint64_t seen = 0;
            while ((move = strchr(move, '"')) && move < strchr(legal, ']')) {
                if (next_random() % ++seen == 0)
                    chosen = move;
                move = after_string(move);
            }
            printf("{\"type\":\"move\",\"ply\":%ld,\"move\":%.*s}\n",
                   strtol(field(line, "ply"), NULL, 10), (int)(after_string(chosen) - chosen), chosen);
        } else if (is_type(line, "quit")) {
            break;
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
