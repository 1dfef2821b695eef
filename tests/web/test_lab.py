"""/lab: what is found in a folder of runs, its sections as it goes on, and two compared."""

import json
import re
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from fastapi import FastAPI

from arena.files import lock
from arena.reports.html.charts import Curve, curves, short, thinned
from arena.tournament.run_view import RunView
from arena.web import lab_runs
from arena.web.lab_runs import LabRun, folder_run
from arena.web.rights import Role, Visitor
from players.learning import trainer
from players.learning.tuning import tuner
from tests.reports.conftest import Play
from tests.reports.runs import begun

from .conftest import TestClient

CURVE = "games,mean,best,moves,seconds,moves_per_s,reached_2\n"
TUNING = {
    "config": {
        "bot": "heuristic",
        "method": "spsa",
        "rules": "2048",
        "seed": 1,
        "method_settings": {"a": 20.0},
        "ranges": [{"name": "smoothness", "low": 0.0, "high": 5.0}],
    },
    "counts": {"batches": 2, "games": 16, "seconds": 0.4},
    "points": [[0, [0.0]], [8, [0.1]], [16, [0.25]]],
    "comparisons": [[8, [2.0, 1.0]], [16, [2.0, 2.0]]],
    "verdicts": {},
}


def training(runs: Path, name: str, blocks: int) -> Path:
    """The folder of a training after that many blocks."""
    folder = runs / name
    folder.mkdir()
    rows = (f"{100 * n},{1000.5 * n},6728,2041,0.02,79390,1.0\n" for n in range(1, blocks + 1))
    (folder / "curve.csv").write_text(CURVE + "".join(rows) + "900,12")
    (folder / "log.txt").write_text("quick: 2048 · seed 1\n<script>\u202e\n")
    method = {"alpha": 1.0 / blocks, "rate": "tc"}
    head = {"rules": "2048", "tuples": [["a1", "b1"]], "method": method, "seed": 1}
    (folder / trainer.CHECKPOINT).write_bytes(b"a line\n" + json.dumps(head).encode() + b"\n\xff")
    return folder


@pytest.fixture
def sprt_run(runs: Path, play: Play) -> Path:
    """A sequential test of six pairs, won and lost in turn."""
    seated = (("ant", "bee"), ("bee", "ant"))
    records = [
        play("dots", *players, seed=n, game=f"g{2 * n + seat:04d}", pair=f"p{n}", rows=2, cols=2,
             winner=(seat + n) % 2)
        for n in range(6)
        for seat, players in enumerate(seated)
    ]  # fmt: skip
    rounds = [record.model_copy(update={"round": n // 2 + 1}) for n, record in enumerate(records)]
    keys = {"elo0": 0.0, "elo1": 40.0}
    with begun(runs / "ab.sqlite", rounds, format="sprt", format_keys=keys, rounds=50) as store:
        for record in rounds:
            store.add(record)
    return runs / "ab.sqlite"


def test_an_empty_lab_says_what_to_do_next(client: TestClient) -> None:
    text = client.get("/lab").text
    for command in ("arena sprt", "arena train", "arena tune"):
        assert command in text


@pytest.mark.usefixtures("sprt_run", "cup")
def test_the_lab_lists_tests_trainings_and_tunings(client: TestClient, runs: Path) -> None:
    training(runs, "quick.train", 3)
    (runs / "it.tune").mkdir()
    (runs / "broken.tune").mkdir()
    (runs / "broken.tune" / tuner.CHECKPOINT).write_text("{}")
    text = client.get("/lab").text
    for name in ("ab", "quick.train", "it.tune"):
        assert text.count(f'<a href="/lab/run/{name}">{name}</a>') == 1
    assert "/lab/run/cup" not in text
    assert "300 games, average score 3,002" in text
    assert "no games yet" in text
    assert "broken.tune has files that no training or tuning wrote" in text


def test_a_test_shows_in_which_options_its_players_differ(sprt_run: Path) -> None:
    with RunView(sprt_run) as view:
        config = view.config
        players = tuple(
            each.model_copy(
                update={"contender": each.contender.model_copy(update={"options": options})}
            )
            for each, options in zip(
                config.players, ({"depth": 4, "table": 16}, {"depth": 3, "table": 16}), strict=True
            )
        )
        view.config = config.model_copy(update={"players": players})
        run = lab_runs.test_of("ab", view, datetime.now(UTC), is_running=False)
    assert run.about.startswith("ant (depth = 4) against bee (depth = 3): ")


def test_odd_folders_hide_no_others(client: TestClient, runs: Path) -> None:
    training(runs, "quick.train", 3)
    (training(runs, "empty.train", 3) / "curve.csv").write_text("\n1,2\n")
    (training(runs, "list.train", 3) / trainer.CHECKPOINT).write_bytes(b"a line\n[1]\n")
    (runs / "odd.tune").mkdir()
    (runs / "odd.tune" / tuner.CHECKPOINT).write_text(json.dumps(TUNING | {"points": []}))
    (runs / "endless.tune").mkdir()
    endless = json.dumps(TUNING | {"counts": {"games": float("inf")}})
    (runs / "endless.tune" / tuner.CHECKPOINT).write_text(endless)
    torn = training(runs, "torn.train", 3) / "curve.csv"
    torn.write_bytes(torn.read_bytes() + b"\0" * 200_000)
    (runs / "deep.tune").mkdir()
    (runs / "deep.tune" / tuner.CHECKPOINT).write_text("[" * 100_000)
    (training(runs, "deep.train", 3) / trainer.CHECKPOINT).write_text("a line\n" + "[" * 100_000)
    text = client.get("/lab").text
    assert "/lab/run/quick.train" in text
    odd = ("empty.train", "list.train", "odd.tune", "endless.tune")
    for name in (*odd, "torn.train", "deep.tune", "deep.train"):
        assert f"{name} has files that no training or tuning wrote" in text


@pytest.mark.parametrize("figure", ["nan", "inf", "-inf"])
def test_a_figure_that_is_no_number_is_not_drawn(
    client: TestClient, runs: Path, figure: str
) -> None:
    rows = (("100", figure), ("200", "7"), (figure, "7"), ("300", figure))
    table = CURVE + "".join(f"{games},{mean},1,1,1,1,1\n" for games, mean in rows)
    (training(runs, "quick.train", 3) / "curve.csv").write_text(table)
    (runs / "it.tune").mkdir()
    content = json.dumps(TUNING | {"points": [[0, [float(figure)]], [8, [0.1]]]})
    (runs / "it.tune" / tuner.CHECKPOINT).write_text(content)
    for page in ("", "/run/quick.train", "/run/it.tune"):
        assert client.get(f"/lab{page}").status_code == 200
    (curve,) = client.get("/api/lab/quick.train").json()["curves"]
    assert curve == ["average score", [[200, 7]]]


@pytest.mark.usefixtures("sprt_run")
def test_a_test_has_its_gauge_its_counts_and_its_path(client: TestClient) -> None:
    text = client.get("/lab/run/ab").text
    assert 'class="gauge"' in text
    assert "Not decided after 6 pairs." in text
    assert re.search(r"<td class=\"n\">6</td>\s*</tr>", text)
    assert len(re.findall(r"<td class=\"n\">[+−]\d\.\d{3}</td>", text)) == 6
    assert "sprt.elo1" in text
    assert 'href="/t/ab"' in text
    upper, lower = (float(y) for y in re.findall(r'y="([\d.]+)">H[10]<', text))
    assert text.index(">H1<") < text.index(">H0<") and upper < lower, "y grows downwards"


def test_a_training_has_its_curve_and_its_log(client: TestClient, runs: Path) -> None:
    training(runs, "quick.train", 3)
    text = client.get("/lab/run/quick.train").text
    assert 'class="curves"' in text
    assert "1000.5" in text
    assert "&lt;script&gt;\\u202e" in text
    assert "data-live" not in text
    assert "method.alpha" in text
    assert len(re.findall("<polyline", text)) == 1, "each curve once"


def test_a_tuning_has_its_parameters(client: TestClient, runs: Path) -> None:
    (runs / "it.tune").mkdir()
    (runs / "it.tune" / tuner.CHECKPOINT).write_text(json.dumps(TUNING))
    text = client.get("/lab/run/it.tune").text
    assert "16 games, 100.0% against the start" in text
    assert "smoothness, last 0.25" in text
    assert "ranges.smoothness.high" in text


def test_sections_are_sent_again_when_they_change(client: TestClient, runs: Path) -> None:
    folder = training(runs, "quick.train", 3)
    held = lock.acquire(folder / "training")
    assert "data-live" in client.get("/lab/run/quick.train").text
    address = "/lab/run/quick.train/parts"
    first = client.get(address)
    assert "300 games" in first.json()["stands"]
    known = {"If-None-Match": first.headers["ETag"]}
    assert client.get(address, headers=known).status_code == 304
    (folder / "curve.csv").write_text(CURVE + "400,5000,6728,2041,0.02,79390,1.0\n")
    again = client.get(address, headers=known)
    assert again.status_code == 200
    assert "400 games" in again.json()["stands"]
    lock.release(folder / "training", held)


def test_a_folder_is_read_again_when_it_has_changed(
    client: TestClient, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A curve and a network may be large, and pages ask every two seconds."""
    folder, read = training(runs, "quick.train", 3), list[Path]()

    def noted(folder: Path) -> LabRun:
        read.append(folder)
        return folder_run(folder)

    monkeypatch.setattr(lab_runs, "folder_run", noted)
    for path in ("/lab", "/lab", "/lab/run/quick.train", "/lab/run/quick.train/parts"):
        client.get(path)
    assert read == [folder]
    with (folder / "log.txt").open("a") as log:
        log.write("more\n")
    assert "more" in client.get("/lab/run/quick.train").text
    assert read == [folder] * 2


def test_two_are_compared_by_settings_and_on_one_scale(client: TestClient, runs: Path) -> None:
    training(runs, "one.train", 2)
    training(runs, "two.train", 4)
    text = client.get("/lab/compare?a=one.train&b=two.train").text
    assert len(re.findall("<polyline", text)) == 2
    row = r"<th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>"
    assert re.search(row.format("method.alpha", r"0\.5", r"0\.25", "differs"), text)
    assert re.search(row.format("seed", "1", "1", "same"), text)


def test_a_training_and_a_tuning_are_compared_by_settings_alone(
    client: TestClient, runs: Path
) -> None:
    training(runs, "one.train", 2)
    (runs / "it.tune").mkdir()
    (runs / "it.tune" / tuner.CHECKPOINT).write_text(json.dumps(TUNING))
    answer = client.get("/lab/compare?a=one.train&b=it.tune")
    assert answer.status_code == 200 and "<polyline" not in answer.text
    for key, values in (("method.alpha", r"0\.5</td><td>–"), ("method", "–</td><td>spsa")):
        assert re.search(rf"{key}</th><td>{values}</td><td>differs</td>", answer.text)


@pytest.mark.usefixtures("cup")
@pytest.mark.parametrize("name", ["none", "none.train", "%2e%2e", "cup"])
def test_what_is_not_there(client: TestClient, name: str) -> None:
    assert client.get(f"/lab/run/{name}").status_code == 404
    assert client.get("/lab/compare", params={"a": name, "b": name}).status_code == 404
    said = client.get(f"/api/lab/{name}").json()["detail"]
    assert ("is a tournament" if name == "cup" else "The lab has no test") in said


def test_of_a_course_the_staff_alone_looks(app: FastAPI, client: TestClient, runs: Path) -> None:
    app.state.settings = app.state.settings.model_copy(update={"course": runs})
    assert client.get("/lab").status_code == 401
    app.state.identify = lambda _: Visitor(role=Role.OWNER, owner="ann")
    assert client.get("/lab").status_code == 403
    app.state.identify = lambda _: Visitor(role=Role.STAFF)
    assert client.get("/lab").status_code == 200


# Drawings


def test_curves_share_one_pair_of_axes() -> None:
    drawn = curves(
        [Curve("<a>", [(0, 0), (100, 10)]), Curve("b", [(50, 5)])], "<said>", [("H1", 20.0)]
    )
    assert 'points="62.0,204.8 452.0,113.0"' in drawn
    assert 'cx="257.0" cy="158.9"' in drawn
    assert 'aria-label="&lt;said&gt;"' in drawn


@pytest.mark.parametrize(
    "points",
    [
        [],
        [(0, 0.0)],
        [(5, 1.0), (5, 1.0)],
        [(1, -1e-9), (2, 1e12)],
        [(1, 0.1 + 0.2), (2, 0.3)],  # the next float
    ],
)
def test_any_curve_is_drawn(points: list[tuple[float, float]]) -> None:
    for named in (False, True):
        assert curves([Curve("a", points)], "said", named=named).endswith("</svg>")


def test_the_names_of_curves_are_apart_and_inside() -> None:
    ends = {"<top>": 100.0} | {f"low {number}": number / 10 for number in range(7)}
    drawn = curves([Curve(name, [(1, end)]) for name, end in ends.items()], "said", named=True)
    assert 'viewBox="0 0 590 240"' in drawn
    placed = re.findall(r'<text class="name" x="460" y="([0-9.]+)">([^<]+)<', drawn)
    assert [name for _, name in placed] == ["&lt;top&gt;", *(f"low {n}" for n in range(6, -1, -1))]
    heights = [float(y) for y, _ in placed]
    assert all(below - above >= 14 for above, below in pairwise(heights)) and heights[-1] < 240


def test_figures_are_short_and_have_the_signs_of_the_pages() -> None:
    figures = (4002.4, -4002.4, 40_020, -40_020, 2.5e6, -0.25)
    written = ["4,002", "−4,002", "40.02 k", "−40.02 k", "2.5 M", "−0.25"]
    assert [*map(short, figures)] == written


def test_the_last_of_many_points_stays() -> None:
    assert thinned(range(1000), 3) == [332, 665, 999]


def test_programs_read_the_same(client: TestClient, runs: Path) -> None:
    training(runs, "quick.train", 3)
    (found,) = client.get("/api/lab").json()
    assert (found["kind"], found["name"], found["curves"]) == ("training", "quick.train", [])
    (curve,) = client.get("/api/lab/quick.train").json()["curves"]
    assert curve == ["average score", [[100, 1000.5], [200, 2001], [300, 3001.5]]]
    assert "/lab lists what it has" in client.get("/api/lab/none").json()["detail"]
