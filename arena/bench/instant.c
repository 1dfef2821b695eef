/* A player that answers every turn with its first legal move, a score and a depth, and costs next to
   nothing.

   It leans on how the referee writes JSON, without blanks and with `type` first; a bot should use
   a JSON library instead. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, text, length);
        if (written < 0) {
            if (errno == EINTR)
                continue;
            exit(1);
        }
        text += written;
        length -= (size_t)written;
    }
}

static int begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* What follows `key`; the program ends when the line has no such key. */
static const char *after(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    if (found == NULL) {
        fprintf(stderr, "instant: no %s in %s\n", key, line);
        exit(1);
    }
    return found + strlen(key);
}

static void answer_turn(const char *line)
{
    char reply[128];
    long ply = strtol(after(line, "\"ply\":"), NULL, 10);
    const char *move = after(line, "\"legal\":[\"");
    int length = snprintf(reply, sizeof reply,
                          "{\"type\":\"move\",\"ply\":%ld,\"move\":\"%.*s\","
                          "\"info\":{\"score\":0,\"depth\":1}}\n",
                          ply, (int)strcspn(move, "\""), move);
    if (length < 0 || (size_t)length >= sizeof reply) {
        fprintf(stderr, "instant: the first move is too long in %s\n", line);
        exit(1);
    }
    say(reply, (size_t)length);
}

static void answer(const char *line)
{
    static const char ready[] = "{\"type\":\"ready\",\"name\":\"instant\"}\n";
    if (begins(line, "{\"type\":\"turn\""))
        answer_turn(line);
    else if (begins(line, "{\"type\":\"start\""))
        say(ready, sizeof ready - 1);
    else if (begins(line, "{\"type\":\"quit\""))
        exit(0);
}

int main(void)
{
    size_t room = 1 << 16, held = 0;
    char *text = malloc(room);
    while (text != NULL) {
        ssize_t got = read(STDIN_FILENO, text + held, room - held);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0;
        char *line = text, *fresh = text + held, *newline;
        held += (size_t)got;
        while ((newline = memchr(fresh, '\n', (size_t)(text + held - fresh))) != NULL) {
            *newline = '\0';
            answer(line);
            line = fresh = newline + 1;
        }
        held -= (size_t)(line - text);
        memmove(text, line, held);
        if (held == room)
            text = realloc(text, room *= 2);
    }
    return 1;
}
