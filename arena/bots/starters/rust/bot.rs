//! A bot for every game: it gives each legal move a score and plays one of the best.
//! Improve the scores, or look ahead. PROTOCOL.md says what the referee asks.

mod json;

use json::Json;
use std::io::{self, BufRead, Write};

/// Column and row of a square or dot, from 0: "c2" is column 2, row 1.
#[derive(Clone, Copy)]
struct Place {
    column: i64,
    row: i64,
}

fn place(name: &str) -> Place {
    let row: i64 = name[1..].parse().expect("a letter, then a number");
    Place { column: i64::from(name.as_bytes()[0] - b'a'), row: row - 1 }
}

/// Othello: corners are never turned again, and their neighbours give them away.
fn score_square(size: i64, square: Place) -> i32 {
    let from_side = square.column.min(size - 1 - square.column);
    let from_top = square.row.min(size - 1 - square.row);
    match (from_side.min(from_top), from_side.max(from_top)) {
        (0, 0) => 3,
        (_, 1) => 0, // beside a corner
        (0, _) => 2,
        _ => 1,
    }
}

/// How many sides of a box are drawn.
fn sides(state: &Json, row: i64, column: i64) -> i64 {
    let drawn = |edges: &str, row: i64, column: i64| {
        state.get(edges).items()[row as usize].items()[column as usize].integer()
    };
    drawn("horizontal", row, column)
        + drawn("horizontal", row + 1, column)
        + drawn("vertical", row, column)
        + drawn("vertical", row, column + 1)
}

/// Dots: close a box; do not draw the third side of one, which the opponent then closes.
fn score_edge(state: &Json, name: &str) -> i32 {
    let middle = 1 + name[1..].find(|letter: char| letter.is_alphabetic()).expect("two dots");
    let (first, second) = (place(&name[..middle]), place(&name[middle..]));
    let other = if first.row == second.row {
        Place { row: first.row - 1, ..first } // a horizontal edge has a box above and one below
    } else {
        Place { column: first.column - 1, ..first }
    };
    let (rows, cols) = (state.get("rows").integer(), state.get("cols").integer());
    let mut score = 1;
    for Place { column, row } in [first, other] {
        if !(0..rows).contains(&row) || !(0..cols).contains(&column) {
            continue;
        }
        match sides(state, row, column) {
            3 => return 2,
            2 => score = 0,
            _ => {}
        }
    }
    score
}

/// 2048 and 2584: keep the large tiles in one corner. Who places the tiles has other moves.
fn score_slide(name: &str) -> i32 {
    match name {
        "down" => 3,
        "left" => 2,
        "right" => 1,
        _ => 0,
    }
}

/// How good a move looks: the more the better.
fn score(rules: &str, state: &Json, name: &str) -> i32 {
    match rules {
        "othello" => score_square(state.get("board").items().len() as i64, place(name)),
        "dots" => score_edge(state, name),
        _ => score_slide(name),
    }
}

/// One of the legal moves. All that may be known is in `turn`; its `time_ms` is the time left.
fn choose<'a>(rules: &str, turn: &'a Json, random: &mut Random) -> &'a str {
    let state = turn.get("state");
    let legal: Vec<&str> = turn.get("legal").items().iter().map(Json::text).collect();
    let most = legal.iter().map(|name| score(rules, state, name)).max();
    let best: Vec<&str> =
        legal.into_iter().filter(|name| Some(score(rules, state, name)) == most).collect();
    best[random.below(best.len())]
}

/// A small random generator (xorshift64*): the standard library has none.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

fn main() -> io::Result<()> {
    let mut replies = io::stdout().lock();
    let mut rules = String::new();
    let mut random = Random(1);
    for line in io::stdin().lock().lines() {
        let request = Json::parse(&line?);
        // One line for each request and nothing else: what you want to know goes to eprintln!.
        match request.get("type").text() {
            "start" => {
                // Load and prepare here, not while the clock of a move runs.
                rules = request.get("rules").text().to_string();
                random = Random(request.get("seed").integer() as u64 | 1);
                writeln!(replies, r#"{{"type":"ready","name":"@NAME@"}}"#)?;
            }
            "turn" => {
                let (ply, name) = (request.get("ply").integer(), choose(&rules, &request, &mut random));
                writeln!(replies, r#"{{"type":"move","ply":{ply},"move":"{name}"}}"#)?;
            }
            "quit" => break,
            _ => {} // "end" needs no answer
        }
        replies.flush()?;
    }
    Ok(())
}
