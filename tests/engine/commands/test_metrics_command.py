"""python -m engine metrics: what was logged comes out again, whole."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.host.metrics_log import MetricsLog
from engine.metrics import RequestMetrics, itl_summary
from engine.protocol.records import LoggedRequest
from engine.settings import folders

GAPS = (0.01, 0.02, 0.03)


@pytest.fixture(autouse=True)
def log() -> None:
    made = MetricsLog(folders().metrics_file)
    for number in range(3):
        metrics = RequestMetrics(ttft=0.1 * (number + 1), tpot=0.02, n_decoded=4, itl=itl_summary(GAPS))
        made.record(
            LoggedRequest(
                request_id=f"r{number}", at=1000.0 + number, model="Tiny, with comma" if number else "Other",
                chat_id="c" if number == 2 else "", metrics=metrics, error_code="context_full" if number == 1 else "",
            )
        )  # fmt: skip
    made.close()


def test_csv_has_a_column_for_each_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "export"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["request_id"] for row in rows] == ["r2", "r1", "r0"]
    assert float(rows[0]["ttft"]) == pytest.approx(0.3)
    assert float(rows[0]["itl_p50"]) == pytest.approx(0.02)
    assert rows[0]["model"] == "Tiny, with comma"
    assert rows[1]["error_code"] == "context_full"
    assert rows[0]["mbu"] == ""


def test_json_is_written_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "figures.json"
    assert main(["metrics", "export", "--format", "json", "--output", str(target), "--model", "Other"]) == 0
    (entry,) = json.loads(target.read_text())
    assert entry["request_id"] == "r0"
    assert entry["metrics"]["itl"]["max"] == 0.03
    assert capsys.readouterr().out == f"1 request was written to {target}.\n"


@pytest.mark.parametrize(("scope", "said"), [("all", "3 requests were"), ("day", "0 requests were")])
def test_as_many_as_are_written_are_told(
    scope: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "figures.csv"
    assert main(["metrics", "export", "--scope", scope, "--output", str(target)]) == 0
    assert capsys.readouterr().out == f"{said} written to {target}.\n"


@pytest.mark.parametrize(("scope", "count"), [(("--scope", "chat", "--chat", "c"), 1), (("--scope", "day"), 0)])
def test_the_scope_is_kept(scope: tuple[str, ...], count: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "export", "--format", "json", *scope]) == 0
    assert len(json.loads(capsys.readouterr().out)) == count


def test_percentiles_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "show"]) == 0
    out = capsys.readouterr().out
    assert "ttft" in out
    assert "3 requests, 1 of them failed" in out


def test_a_folder_that_is_not_there_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "export", "--output", "/no/such/folder/x.csv"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
