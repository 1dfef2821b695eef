import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A bot for every game: it gives each legal move a score and plays one of the best.
 * Improve the scores, or look ahead. PROTOCOL.md says what the referee asks.
 */
public final class Bot {
    /** Column and row of a square or dot, from 0: "c2" is column 2, row 1. */
    record Place(int column, int row) {
        static Place of(String name) {
            return new Place(name.charAt(0) - 'a', Integer.parseInt(name.substring(1)) - 1);
        }
    }

    private String rules = "";
    private Random random = new Random();

    public static void main(String[] arguments) throws IOException {
        var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream replies = System.out;
        System.setOut(System.err); // a stray println reaches you, and not the referee
        var bot = new Bot();
        for (String line; (line = requests.readLine()) != null; ) {
            var request = Json.object(Json.parse(line));
            switch ((String) request.get("type")) {
                case "start" -> { // load and prepare here, not while the clock of a move runs
                    bot.rules = (String) request.get("rules");
                    bot.random = new Random(((Number) request.get("seed")).longValue());
                    reply(replies, "{\"type\":\"ready\",\"name\":\"@NAME@\"}");
                }
                case "turn" -> reply(replies, String.format(
                        "{\"type\":\"move\",\"ply\":%d,\"move\":\"%s\"}",
                        Json.integer(request.get("ply")), bot.choose(request)));
                case "quit" -> { return; }
                default -> { } // "end" needs no answer
            }
        }
    }

    /** One line for each request and nothing else. */
    private static void reply(PrintStream replies, String line) {
        replies.print(line + "\n");
        replies.flush();
    }

    /** One of the legal moves. All that may be known is in turn; its time_ms is the time left. */
    private String choose(Map<String, Object> turn) {
        var state = Json.object(turn.get("state"));
        var best = new ArrayList<String>();
        int most = -1;
        for (Object legal : Json.array(turn.get("legal"))) {
            var move = (String) legal;
            int here = score(state, move);
            if (here > most) best.clear();
            if (here >= most) best.add(move);
            most = Math.max(most, here);
        }
        return best.get(random.nextInt(best.size()));
    }

    /** How good a move looks: the more the better. */
    private int score(Map<String, Object> state, String move) {
        return switch (rules) {
            case "othello" -> scoreSquare(Json.array(state.get("board")).size(), Place.of(move));
            case "dots" -> scoreEdge(state, move);
            default -> scoreSlide(move);
        };
    }

    /** Othello: corners are never turned again, and their neighbours give them away. */
    private static int scoreSquare(int size, Place square) {
        int fromSide = Math.min(square.column(), size - 1 - square.column());
        int fromTop = Math.min(square.row(), size - 1 - square.row());
        if (fromSide == 0 && fromTop == 0) return 3;
        if (Math.max(fromSide, fromTop) == 1) return 0; // beside a corner
        return Math.min(fromSide, fromTop) == 0 ? 2 : 1;
    }

    /** 2048 and 2584: keep the large tiles in one corner. Who places the tiles has other moves. */
    private static int scoreSlide(String move) {
        return switch (move) {
            case "down" -> 3;
            case "left" -> 2;
            case "right" -> 1;
            default -> 0;
        };
    }

    /** Dots: close a box; do not draw the third side of one, which the opponent then closes. */
    private static int scoreEdge(Map<String, Object> state, String move) {
        var names = move.split("(?<=\\d)(?=[a-z])"); // "a1b1", "a10b10"
        Place first = Place.of(names[0]), second = Place.of(names[1]);
        Place other = first.row() == second.row() // a horizontal edge has a box above and one below
                ? new Place(first.column(), first.row() - 1)
                : new Place(first.column() - 1, first.row());
        int score = 1;
        for (Place box : List.of(first, other)) {
            if (box.row() < 0 || box.row() >= Json.integer(state.get("rows"))) continue;
            if (box.column() < 0 || box.column() >= Json.integer(state.get("cols"))) continue;
            int drawn = sides(state, box);
            if (drawn == 3) return 2;
            if (drawn == 2) score = 0;
        }
        return score;
    }

    /** How many sides of a box are drawn. */
    private static int sides(Map<String, Object> state, Place box) {
        var across = Json.array(state.get("horizontal"));
        var down = Json.array(state.get("vertical"));
        return cell(across, box.row(), box.column()) + cell(across, box.row() + 1, box.column())
                + cell(down, box.row(), box.column()) + cell(down, box.row(), box.column() + 1);
    }

    private static int cell(List<Object> rows, int row, int column) {
        return Json.integer(Json.array(rows.get(row)).get(column));
    }
}
