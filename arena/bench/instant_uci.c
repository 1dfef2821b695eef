/* A UCI engine that plays a game known from the start, 100 moves a side without a capture, and costs
   next to nothing. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char game[] =
    "a2a3h7h6g2g4g7g5h2h4a7a5a3a4f8g7b1c3d7d5e2e3d8d6h4h5d6c6f1d3c6d7h1h2g8f6a1b1b8c6"
    "g1e2d7f5h2h1f5g6d3f5g6h7c3a2f6e4e1f1f7f6f2f4e8f7d2d4f7f8f1g1f8g8b2b3a8b8h1h4e7e5"
    "c1a3e4c5e2c1c6d8g1h1b8a8c1d3g8f7h1g2a8a7a3b4f7f8d1d2a7a8b1a1e5e4a1e1d8e6d2c3f8g8"
    "g2g3g7f8e1a1g8g7c3c4g7g8a1g1h7f7h4h2b7b6g1g2f7g7b4c3c8b7a2b4c5d7g2f2e6d8h2h4g7f7"
    "f5e6a8a6c3d2h8h7d3b2b7a8g3h2c7c5c4e2f6f5c2c4a8c6e2f3d7e5f3h3e5d3h2g1g8g7g1h2g7f6"
    "d2c1f7a7f2e2f6e7e2g2e7d6b4a2h7b7g2e2b6b5h2g2b7d7h3g3a7b7e2f2b7a7b2d1d8f7g3h2d3e5"
    "c1a3e5f3f2e2f3g1e2e1f7e5a2b4g1e2d1f2a7c7h2g3d7f7b4a2e2c1e1h1c7a7f2h3f7d7e6f7d6e7"
    "g3e1e7d8a3b2e5d3e1c3c6b7h1g1c1e2c3c1b7a8b2a1d7d6c1e1f8g7g1f1a8b7f7g6d3e5b3b4a7b8"
    "e1c1d6f6f1g1e2c3a1b2f6e6c1b1d8c7b2a1b7c8g2g3a6b6g3h2b8a8b1c2e6c6g1d1g7h8h2h1c3b1"
    "c2c3e5d3c3b3c7d8h1g1d8d7a1b2c6f6b3a3a8b8b2a1d3c1a3d3b8a8d1d2f6f8g1h2d7e6h2h1h8e5";

static void say(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        exit(1);
}

/* How many moves a `position` has: the blanks after the word `moves`. */
static size_t played(const char *line)
{
    const char *moves = strstr(line, " moves");
    size_t count = 0;
    for (; moves != NULL && (moves = strchr(moves + 1, ' ')) != NULL; count++)
        ;
    return count;
}

int main(void)
{
    static char line[1 << 16];
    size_t ply = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "position", 8) == 0) {
            ply = played(line);
        } else if (strncmp(line, "go", 2) == 0) {
            char reply[64];
            snprintf(reply, sizeof reply, "info depth 1 score cp 0\nbestmove %.4s\n",
                     game + 4 * (ply % (sizeof game / 4)));
            say(reply);
        } else if (strcmp(line, "uci") == 0) {
            say("id name instant\nid author arena\nuciok\n");
        } else if (strcmp(line, "isready") == 0) {
            say("readyok\n");
        } else if (strcmp(line, "quit") == 0) {
            return 0;
        }
    }
    return 0;
}
