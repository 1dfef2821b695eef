"""Sentences on standings, tests and sandboxes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from arena.files.moments import moment
from arena.files.toml_tables import shown
from arena.model.containment import Guarantee, Held
from arena.model.protocol import Clock, Termination
from arena.ratings.matches import Verdict
from arena.ratings.model import ORDERED, Share, Standings
from arena.ratings.results import Results
from arena.ratings.sprt import Sprt, expected_units
from arena.tournament.estimate import rough_duration
from arena.tournament.store_faults import PLAY_AGAIN

MOST_CROSSED = 40
"""Players of a crosstable that is shown; a larger field is a list."""
NOT_CROSSED = (
    f"No crosstable: it would not be readable beyond {MOST_CROSSED} players. "
    f"For a run, `--csv crosstable` lists the players that met."
)
_GROUPS_SHOWN = 5
_MANY_RESULTS = 20
"""With that many, the first player loses some, unless the list goes by the winner."""
_SPOILT = 5
"""Void games that are listed; more are counted."""


def settings(variant: Mapping[str, object]) -> str:
    """Settings as a file has them: `size 8, corners false, constant 0.00003`; none that is None."""

    def written(value: object) -> object:
        if isinstance(value, float):
            return format(Decimal(repr(value)).normalize(), "f")
        return str(value).lower() if isinstance(value, bool) else value

    parts = (f"{key} {written(value)}" for key, value in variant.items() if value is not None)
    return ", ".join(parts)


def with_settings(rules: str, variant: Mapping[str, object]) -> str:
    """The rule set with its settings, where it has any: `dots (rows 5, cols 5)`."""
    given = settings(variant)
    return f"{rules} ({given})" if given else rules


def about_rating(standings: Standings) -> list[str]:
    """How to read the Elo column."""
    anchor = standings.anchor
    if anchor.player is not None and anchor.in_force:
        zero = f"{anchor.player} is the anchor, at {anchor.elo:.0f}"
    else:
        until = f" until the anchor {anchor.player} has a result" if anchor.player else ""
        zero = f"the mean of the pool is {anchor.elo:.0f}{until}"
    fit = "Bayesian" if standings.matched else "maximum-likelihood"
    lines = [
        f"Elo: one {fit} fit of all results, draws as half points; {zero}."
        " ± is a 95% interval; LOS is the probability of being stronger than the next below.",
        f"Prior: {standings.prior}.",
    ]
    if len(parts := _unbounded(standings)) > 1:
        lines.append(
            f"Without a point against the players above: {_groups(parts[1:])}. Results say how far "
            "below they are at least, not at most, so their Elo may miss by more than ±."
        )
    if standings.first_mover is not None and standings.first_player is not None:
        moved, took = standings.first_mover, standings.first_player
        lines.append(
            f"First move, on these openings: worth {moved.elo:+z.0f} ± {moved.error:.0f} Elo; the"
            f" first player took {share(took)} of the points; in brackets the 95% interval."
        )
    if standings.repeats and standings.sprt is None:
        lines.append(
            f"Games that went move for move like an earlier one of the same players: "
            f"{standings.repeats:,}. Unless that is chance, they are not new evidence, and the "
            "intervals are too narrow: give more or longer openings."
        )
    if any(row.tiles for row in standings.players):
        lines.append(
            "Won, drawn, lost: the scores of two games of one seed; a game may count in several."
        )
    return [*lines, *about_odds((row.name, row.clock) for row in standings.players)]


def about_odds(clocks: Iterable[tuple[str, Clock | None]]) -> list[str]:
    """Which players have a clock of their own."""
    own = "; ".join(f"{name} ({clock.words})" for name, clock in clocks if clock)
    return [f"With a clock of its own: {own}."] if own else []


def about_list(listed: Results) -> Iterator[str]:
    """Warnings on a list of results: some are in it twice, or winners are named first."""
    if listed.unfinished:
        yield f"Left out, as they are not over: {count_games(listed.unfinished)}."
    in_pairs = Counter((each.pair, each.first, each.second) for each in listed.results if each.pair)
    again = dict.fromkeys(pair for (pair, *_), count in in_pairs.items() if count > 1)
    if again:
        yield (
            f"Pairs with the same players in the same order more than once: {len(again):,}, the "
            f"first is {shown(next(iter(again)))}. If two reports of one run were put together, "
            "its games count twice: the later one has them all."
        )
    never_lost = listed.first_mover and all(each.score > 0 for each in listed.results)
    if never_lost and len(listed.results) >= _MANY_RESULTS:
        yield (
            f"The first player lost none of the {len(listed.results):,} results. If the list names "
            'the winner first, these ratings mean nothing: add a column "ordered" with "no" in '
            "each line."
        )


def probability(known: float) -> str:
    """A probability that is not 0 or 1 is never shown as such."""
    if known > 0.999:
        return ">99.9%"
    return "<0.1%" if known < 0.001 else f"{known:.1%}"


def rounded_ms(time: float) -> float:
    """Milliseconds, with tenths where they matter: below 10."""
    return round(time) if time >= 10 else round(time, 1)


def share(share: Share | None) -> str:
    """A share with its interval: `83.3% (62–94)`; empty without one."""
    if share is None:
        return ""
    return f"{100 * share.score:.1f}% ({100 * share.low:.0f}–{100 * share.high:.0f})"


def about_separation(standings: Standings) -> list[str]:
    """Which neighbours the results do not separate, and how far an end is that asks for it."""
    close = [
        f"{pair.upper} and {pair.lower} ({pair.difference:z.0f} ± {pair.error:.0f} Elo)"
        for pair in standings.neighbours
        if not pair.separated
    ]
    known = " that results link" if len(standings.groups) > 1 else ""
    lines = [f"All neighbours{known} are separated at 95%."] if standings.neighbours else []
    if len(close) > MOST_CROSSED:
        met = len(standings.neighbours)
        lines = [f"Not separated at 95%: {len(close):,} of {met:,} neighbours."]
    elif close:
        lines = [f"Not separated at 95%: {'; '.join(close)}."]
    if len(standings.groups) > 1:
        lines.append(
            f"No result links these groups, so their ratings cannot be compared: "
            f"{_groups(standings.groups)}."
        )
    return [*lines, standings.ending] if standings.ending else lines


def _unbounded(standings: Standings) -> list[list[str]]:
    """Players in the order of the table, cut where nobody below took a point from one above: the
    likelihood has no maximum there without a prior (Ford 1957). Of fields in one piece.
    """
    if len(standings.groups) != 1:
        return []
    rated = [row.name for row in standings.players if row.results]
    place = {name: at for at, name in enumerate(rated)}
    below = [*range(len(rated))]  # the last player that took a point from each
    for cell in standings.crosstable:
        if cell.wins or cell.draws:
            opponent = place[cell.opponent]
            below[opponent] = max(below[opponent], place[cell.player])
    parts: list[list[str]] = [[]]
    last = 0
    for at, name in enumerate(rated):
        parts[-1].append(name)
        last = max(last, below[at])
        if last == at < len(rated) - 1:
            parts.append([])
    return parts if standings.crosstable else []


def _groups(groups: Sequence[Sequence[str]]) -> str:
    """Players of a small field by name, of a large one by their number."""
    if sum(map(len, groups)) <= MOST_CROSSED:
        return "; ".join(map(", ".join, groups))
    sizes = ", ".join(f"{len(group):,}" for group in groups[:_GROUPS_SHOWN])
    more = ", …" if len(groups) > _GROUPS_SHOWN else ""
    return f"{len(groups):,} {_plural('group', len(groups))} of {sizes}{more} players"


def about_sprt(verdict: Verdict) -> list[str]:
    """The sequential test: its hypotheses, its counts, its verdict, and the limits of that."""
    who, scale = f"{verdict.player}'s lead over {verdict.opponent}", f"{verdict.model} Elo"
    units = _plural(verdict.unit, verdict.units)
    counts = ", ".join(f"{_RESULTS.get(key, key)} {n}" for key, n in verdict.counts.items())
    lines = [
        f"H0: {who} is {verdict.elo0:g}; H1: it is {verdict.elo1:g} ({scale}). "
        f"α {_percent(verdict.alpha)}, β {_percent(verdict.beta)}.",
        f"After {verdict.units:,} {units} ({counts}): log-likelihood ratio {verdict.llr:+.2f}; "
        f"H0 at {verdict.lower:+.2f}, H1 at {verdict.upper:+.2f}.",
    ]
    estimate = verdict.estimate
    if estimate is not None:
        these = "this" if verdict.units == 1 else "these"
        lines.append(
            f"In {these} {units}: {decisive(verdict.decisive)}, Elo {estimate.elo:+.1f} ± "
            f"{estimate.elo_error:.1f}, normalized "
            f"{estimate.normalized_elo:+.1f} ± {estimate.normalized_elo_error:.1f}"
            + (" (with prior)." if estimate.with_prior else ".")
        )
    if verdict.forfeits:
        lines.append(
            f"{verdict.forfeits:,} of these games {'was' if verdict.forfeits == 1 else 'were'} "
            "forfeited: a forfeit counts as a loss, whatever the moves before it were worth."
        )
    if verdict.repeats:
        lines.append(
            f"{verdict.repeats:,} of these {units} went move for move like an earlier one. Unless "
            "that is chance, they are not new evidence, and α and β do not hold: give more or"
            " longer openings."
        )
    lines.append(decision(verdict))
    if verdict.decision is not None:
        lines.append(
            "A test stops when luck has run one way, so the Elo of its games is biased: for a "
            "figure, play a number of games fixed beforehand."
        )
    return lines


_RESULTS = {"ll": "LL", "ld": "LD", "wl_dd": "WL or DD", "wd": "WD", "ww": "WW"}


def where_it_stands(verdict: Verdict) -> str:
    """`LLR +1.02 (-2.94 to +2.94) · Elo +12.3 ± 20.1 · 31% decisive`."""
    ratio = f"LLR {verdict.llr:+.2f} ({verdict.lower:+.2f} to {verdict.upper:+.2f})"
    estimate = verdict.estimate
    if estimate is None:
        return ratio
    elo = f"Elo {estimate.elo:+.1f} ± {estimate.elo_error:.1f}"
    return f"{ratio} · {elo} · {decisive(verdict.decisive)}"


def decisive(share: float) -> str:
    """`31% decisive`: a share of pairs, or of other units, that one side won."""
    return f"{100 * share:.0f}% decisive"


def decision(verdict: Verdict) -> str:
    """The accepted hypothesis, in a sentence; or why none counts."""
    low, high = f"{verdict.elo0:g}", f"{verdict.elo1:g} {verdict.model} Elo"
    if verdict.decision is None:
        return f"Not decided after {verdict.units:,} {_plural(verdict.unit, verdict.units)}."
    if not verdict.usable:
        return not_usable(verdict)
    if verdict.decision == "H1":
        means = "stronger" if verdict.elo0 >= 0 else f"not weaker by {-verdict.elo0:g}"
        return (
            f"H1 accepted: {verdict.player} is {means}. A lead of {high} fits better than {low}; "
            f"where the lead is {low} or less, at most {_percent(verdict.alpha)} of such tests say "
            "so."
        )
    means = "weaker" if verdict.elo1 <= 0 else f"not stronger by {verdict.elo1:g}"
    return (
        f"H0 accepted: {verdict.player} is {means}. A lead of {low} fits better than {high}; where "
        f"the lead is {verdict.elo1:g} or more, at most {_percent(verdict.beta)} of such tests say "
        "so."
    )


def not_usable(verdict: Verdict) -> str:
    """Why a test is no evidence on the players, and what to do."""
    games = 2 * verdict.units
    share = 100 * (verdict.forfeits + verdict.void) / (games + verdict.void)
    spoilt = " and ".join(
        f"{count:,} {_plural(word, count)}"
        for count, word in ((verdict.forfeits, "forfeit"), (verdict.void, "void attempt"))
        if count
    )
    return (
        f"Not usable: {spoilt} in {games:,} games. That is {share:.1f}% of what was "
        "played; beyond 5% a test measures the machine or a bot's faults, not strength. Remove "
        "the cause, which the report names (often a busy machine, or too short a time a move), "
        "and begin the test again under another name, or with its file moved away."
    )


def _percent(rate: float) -> str:
    return f"{100 * rate:g}%"


def expected_ends(test: Sprt, *, paired: bool) -> tuple[int, ...]:
    """The games that a test takes on average, at H0 or H1 and half way between; or nothing."""
    expected = expected_units(test, 2 if paired else 1)
    return tuple(2 * round(units) for units in expected or ())


def expected_games(test: Sprt, *, paired: bool, planned: int, game_s: float | None) -> list[str]:
    """How long a sequential test takes on average, of at most `planned` games of `game_s` seconds,
    where that is known; nothing where it cannot be estimated.
    """
    expected = expected_ends(test, paired=paired)
    if not expected:
        return []
    ends, middle = expected

    def time(games: int) -> str:
        return "" if game_s is None else f" ({rough_duration(games * game_s)})"

    lines = [
        f"The test takes about {ends:,} games{time(ends)} where the lead is {test.elo0:g} or "
        f"{test.elo1:g}, {middle:,}{time(middle)} half way between, fewer beyond."
    ]
    if ends > planned:
        lines.append(
            f"With at most {planned:,} games it may well end undecided: allow more, or put "
            f"elo1 further from elo0."
        )
    return lines


def about_course(standings: Standings) -> Iterator[str]:
    """Whether and how course points order the players, and what a forfeit costs."""
    if not standings.results:
        return
    counts = [row.results for row in standings.players]
    if min(counts) == max(counts):
        yield f"Course order: {ORDERED}."
    else:
        yield (
            "No course order: points compare only players with as many results, and these have "
            f"{min(counts):,} to {max(counts):,}."
        )
    if any(row.forfeits for row in standings.players):
        yield "A forfeited game counts at most 0 difference for the player who forfeited."


def about_time(standings: Standings) -> list[str]:
    """When the games were played; nothing for a list of results."""
    if standings.began is None or standings.ended is None:
        return []
    began, ended = moment(standings.began), moment(standings.ended)
    return [f"Played on {began}." if began == ended else f"Played from {began} to {ended}."]


def about_damage(games: Sequence[str]) -> list[str]:
    """Which games cannot be read."""
    damaged = ", ".join(games)
    return [f"Damaged in the file and not counted: {damaged}. {PLAY_AGAIN}"] if damaged else []


def about_lost_records(games: Sequence[str]) -> list[str]:
    """Which games count and cannot be shown."""
    damaged = ", ".join(games)
    sentence = f"Damaged in the file, except the result, which counts: {damaged}. {PLAY_AGAIN}"
    return [sentence] if damaged else []


def about_those_out(standings: Standings) -> list[str]:
    """The players who left the tournament, and the versions that play no more."""
    out, replaced = ", ".join(standings.left_out), ", ".join(standings.replaced)
    sentences = [f"Left out, with games that stay in the record: {out}."] if out else []
    return [*sentences, f"Listed, but no longer playing: {replaced}."] if replaced else sentences


def about_endings(standings: Standings) -> list[str]:
    """Forfeits, adjudications, void games and random moves; nothing where all ended naturally."""
    lines = []
    endings = standings.terminations
    forfeits = {word: n for word, n in endings.items() if Termination(word).is_forfeit}
    if forfeits:
        total = sum(forfeits.values())
        lines.append(f"Forfeits: {total} of {count_games(standings.games)} ({counted(forfeits)}).")
        idle = [row.name for row in standings.players if row.forfeits and row.times is None]
        lines += [f"Made no valid move in any game: {', '.join(idle)}."] if idle else []
    elif endings:
        lines.append("No game was forfeited.")
    if adjudicated := endings.get(Termination.ADJUDICATED):
        # By a rule of the tournament, or as the file of an imported game ends.
        lines.append(f"Adjudicated, not played to the end: {count_games(adjudicated)}.")
    if standings.void:
        lines.append(
            f"Void, not scored (the host's or the referee's fault): {standings.void} "
            f"{_plural('attempt', standings.void)} at {len(standings.spoilt)} "
            f"{_plural('game', len(standings.spoilt))}."
        )
    for game in standings.spoilt[:_SPOILT]:
        tries = f"{game.attempts} void {'try' if game.attempts == 1 else 'tries'}"
        came = f"replayed after {tries}" if game.replayed else f"no result after {tries}"
        lines.append(f"  {game.game}: {came}. {game.detail}")
    if len(standings.spoilt) > _SPOILT:
        lines.append(f"  and {len(standings.spoilt) - _SPOILT} more.")
    random = Counter({row.name: row.random_moves for row in standings.players if row.random_moves})
    if random:
        lines.append(f"Random moves played for a player after faults: {counted(random)}.")
    return lines


def about_sandbox(standings: Standings, *, gaps: bool = True) -> list[str]:
    """Sandboxes of the players; with `gaps` also what they lack, which names parts of the host."""
    lines = sandbox_lines((row.player, row.held) for row in standings.sandboxes)
    return [f"{line[0].upper()}{line[1:]}." for line, is_gap in lines if gaps or not is_gap]


def sandbox_lines(players: Iterable[tuple[str, Held]]) -> Iterator[tuple[str, bool]]:
    """Lines on what contains the players, alike ones together, and whether each is a warning."""
    groups: dict[Held, dict[str, None]] = {}
    for name, held in players:
        groups.setdefault(held, {})[name] = None
    for held, names in groups.items():
        whose = "sandbox" if len(groups) == 1 else f"sandbox of {', '.join(names)}"
        if holding(held):
            yield f"{whose}: {held.mode} holds {holding(held)}", False
        if lacking(held) or held.notes:
            for part in _warnings(held):
                yield f"{whose}: {part.rstrip('.')}", True


def holding(held: Held) -> str:
    """`memory (cgroup), network`; empty where nothing is held."""
    return ", ".join(
        guarantee if how == held.mode else f"{guarantee} ({how})"
        for guarantee in Guarantee
        if (how := held.by.get(guarantee)) is not None
    )


def lacking(held: Held) -> str:
    """`cpu, uid`; empty where all is held."""
    return ", ".join(guarantee for guarantee in Guarantee if held.by.get(guarantee) is None)


def _warnings(held: Held) -> tuple[str, ...]:
    """The missing guarantees and why, each for a line of its own."""
    if not holding(held):
        nothing = f"{held.mode}, nothing is held"
        return (". ".join((nothing, *held.notes)),)
    return held.notes or (f"{held.mode} does not hold {lacking(held)}",)


def count_games(count: int) -> str:
    """`1 game`, `1,200 games`."""
    return f"{count:,} {_plural('game', count)}"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"


def counted(counts: Mapping[str, int]) -> str:
    """`timeout 3, exited 1`."""
    return ", ".join(f"{word} {count}" for word, count in counts.items())


def duration(seconds: float) -> str:
    """`42 s`, `3 min 20 s`, `5 h 12 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
