// A bot for every game: it gives each legal move a score and plays one of the best.
// Improve the scores, or look ahead. PROTOCOL.md says what the referee asks.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "json.hpp"

struct Place {
    int column, row;  // from 0
};

// A square or dot: "c2" is column 2, row 1.
Place place(const std::string& name) { return {name[0] - 'a', std::stoi(name.substr(1)) - 1}; }

// Othello: corners are never turned again, and their neighbours give them away.
int score_square(int size, Place square) {
    int from_side = std::min(square.column, size - 1 - square.column);
    int from_top = std::min(square.row, size - 1 - square.row);
    if (from_side == 0 && from_top == 0) return 3;
    if (std::max(from_side, from_top) == 1) return 0;  // beside a corner
    return std::min(from_side, from_top) == 0 ? 2 : 1;
}

// How many sides of a box are drawn.
int sides(const Json& state, int row, int column) {
    const Json& across = state["horizontal"];
    const Json& down = state["vertical"];
    return across[row][column].integer() + across[row + 1][column].integer() +
           down[row][column].integer() + down[row][column + 1].integer();
}

// Dots: close a box; do not draw the third side of one, which the opponent then closes.
int score_edge(const Json& state, const std::string& move) {
    auto middle = move.find_first_not_of("0123456789", 1);  // "a1b1", "a10b10"
    Place first = place(move.substr(0, middle)), second = place(move.substr(middle));
    bool horizontal = first.row == second.row;  // then it has a box above and one below
    Place boxes[] = {first, first};
    (horizontal ? boxes[0].row : boxes[0].column) -= 1;
    int score = 1;
    for (Place box : boxes) {
        if (box.row < 0 || box.row >= state["rows"].integer()) continue;
        if (box.column < 0 || box.column >= state["cols"].integer()) continue;
        int drawn = sides(state, box.row, box.column);
        if (drawn == 3) return 2;
        if (drawn == 2) score = 0;
    }
    return score;
}

// 2048 and 2584: keep the large tiles in one corner. Who places the tiles has other moves.
int score_slide(const std::string& move) {
    if (move == "down") return 3;
    if (move == "left") return 2;
    return move == "right" ? 1 : 0;
}

// How good a move looks: the more the better.
int score(const std::string& rules, const Json& state, const std::string& move) {
    if (rules == "othello") return score_square(int(state["board"].size()), place(move));
    if (rules == "dots") return score_edge(state, move);
    return score_slide(move);
}

// One of the legal moves. All that may be known is in `turn`; turn["time_ms"] is the time left.
std::string choose(const std::string& rules, const Json& turn, std::mt19937& random) {
    std::vector<std::string> best;
    int most = -1;
    for (const Json& legal : turn["legal"].items()) {
        int here = score(rules, turn["state"], legal.text());
        if (here > most) best.clear();
        if (here >= most) best.push_back(legal.text());
        most = std::max(most, here);
    }
    std::uniform_int_distribution<std::size_t> any(0, best.size() - 1);
    return best[any(random)];
}

int main() {
    std::string line, rules;
    std::mt19937 random;
    while (std::getline(std::cin, line)) {
        Json request = Json::parse(line);
        const std::string& type = request["type"].text();
        // One line for each request and nothing else, flushed by std::endl: write what you want
        // to know to std::cerr.
        if (type == "start") {  // load and prepare here, not while the clock of a move runs
            rules = request["rules"].text();
            random.seed(unsigned(request["seed"].integer()));
            std::cout << R"({"type":"ready","name":"@NAME@"})" << std::endl;
        } else if (type == "turn") {
            std::cout << R"({"type":"move","ply":)" << request["ply"].integer() << R"(,"move":")"
                      << choose(rules, request, random) << R"("})" << std::endl;
        } else if (type == "quit") {
            return 0;
        }  // "end" needs no answer
    }
}
