"""python -m engine metrics: percentiles of the log, and its export as CSV or JSON."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine.host.metrics_log import MetricsLog
from engine.protocol.commands import ReadMetrics
from engine.settings import folders

SCOPES = ("day", "all", "chat")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parsers = parser.add_subparsers(dest="action", required=True, metavar="show|export")
    show = parsers.add_parser("show", help="percentiles over the log")
    export = parsers.add_parser("export", help="every logged request")
    for each in (show, export):
        each.add_argument("--scope", choices=SCOPES, default="all", help="which requests (default: %(default)s)")
        each.add_argument("--chat", default="", metavar="ID", help="with --scope chat: the chat")
        each.add_argument("--model", default="", help="only this model's requests, by the name in the log")
    export.add_argument("--format", choices=("csv", "json"), default="csv", help="for printing (default: %(default)s)")
    export.add_argument("--output", default="-", metavar="FILE", help="a .csv or .json file (default: print)")


def run(arguments: argparse.Namespace) -> int:
    log = MetricsLog(folders().metrics_file)
    query = ReadMetrics(request_id="", scope=arguments.scope, chat_id=arguments.chat, model=arguments.model)
    try:
        if arguments.action == "show":
            print(_table(log, query))
        elif arguments.output != "-":
            target = Path(arguments.output)
            count = log.export_to(target, query)
            requests = "1 request was" if count == 1 else f"{count:,} requests were"
            print(f"{requests} written to {target}.")
        elif arguments.format == "csv":
            log.export_csv(query, sys.stdout)
        else:
            log.export_json(query, sys.stdout)
    finally:
        log.close()
    return 0


def _table(log: MetricsLog, query: ReadMetrics) -> str:
    read = log.read(query)
    lines = [f"{'ms':<14}{'P50':>10}{'P90':>10}{'P95':>10}{'P99':>10}{'count':>9}"]
    for row in read.rows:
        figures = "".join(f"{value * 1000:>10.1f}" for value in (row.p50, row.p90, row.p95, row.p99))
        lines.append(f"{row.name:<14}{figures}{row.count:>9}")
    lines.append(
        f"{read.n_requests} requests, {read.n_errors} of them failed, {read.tokens_per_hour:.0f} tokens an hour"
    )
    return "\n".join(lines)
