/** The data of a run's pages, as Python writes them: see model.py. */

interface GameColumns {
  id: string[]; players: number[][]; scores: number[][]; points: number[][];
  ending: number[]; offender: number[]; plies: number[]; slowest_ms: number[];
}

interface GameRunning {
  id: string; round: number; players: number[]; opening: number; start: Record<string, any>; moves: string[];
}

interface PlayerData {
  version: string; status: string; rank: number | null; rating: string; games: number; wins: number;
  draws: number; losses: number; mean_ms: number | null; max_ms: number | null; clock: string; random_moves: number;
  interval: [number, number, number] | null; as_first: string; as_second: string; versions: number[];
  faults: { ending: string; count: number; game: string; detail: string; stderr: string }[];
}

interface RunData {
  name: string; variant: Record<string, any>; drawing: string; marks: string[]; seats: number;
  move_gap: string; players: string[]; limits_ms: (number | null)[]; endings: string[];
  figures: PlayerData[]; games: GameColumns; running: GameRunning[];
}

interface SeatStderr { head: string; tail: string; bytes: number; marks: number[] }

interface GameData {
  id: string; round: number; attempt: number; players: number[]; seed: number; opening: number;
  start: Record<string, any>; moves: string[]; seats: number[]; used_ms: (number | null)[]; score: (number | null)[];
  depth: (number | null)[]; text: (string | null)[]; faults: [number, number, string, string][]; ending: string;
  detail: string; offender: number; scores: number[]; points: number[]; started_at: string;
  duration_ms: number; machine: string; stderr: (SeatStderr | null)[]; boards: string[];
}
