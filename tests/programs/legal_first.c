/* A bot in C, written from the protocol page alone: it answers with the first legal move. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text after `"key":` at the top level of the object in `line`; NULL when it is not there. */
static const char *field(const char *line, const char *key) {
    int depth = 0;
    size_t length = strlen(key);
    for (const char *at = line; *at; at++) {
        if (*at == '{' || *at == '[') depth++;
        if (*at == '}' || *at == ']') depth--;
        if (*at != '"') continue;
        const char *text = ++at;
        while (*at && *at != '"') at += *at == '\\' && at[1] ? 2 : 1;
        if (!*at) return NULL;
        if (depth == 1 && (size_t)(at - text) == length && !strncmp(text, key, length)) {
            const char *colon = at + 1 + strspn(at + 1, " \t");
            if (*colon == ':') return colon + 1 + strspn(colon + 1, " \t");
        }
    }
    return NULL;
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *type = field(line, "type");
        if (!type) return 1;
        if (!strncmp(type, "\"start\"", 7)) {
            puts("{\"type\":\"ready\",\"name\":\"legal-first\"}");
        } else if (!strncmp(type, "\"turn\"", 6)) {
            const char *ply = field(line, "ply"), *legal = field(line, "legal");
            char move[32];
            if (!ply || !legal || sscanf(legal, " [ \"%31[^\"]", move) != 1) return 1;
            printf("{\"type\":\"move\",\"ply\":%ld,\"move\":\"%s\"}\n", strtol(ply, NULL, 10), move);
        } else if (!strncmp(type, "\"quit\"", 6)) {
            break;
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
