"""The same work on Firstlight and on its peers, in alternation: prints one object of ratios, medians over the runs.

python tests/benchmarks/versus_peers.py --peers DIR [--only NAME,...] [--runs N] [--model FILE] [--json FILE|-]

DIR holds llama-bench and llama-server, built against the same llama.cpp as ours, and where it shall be compared too
`xllamacpp`, installed by `pip install --target DIR/xllamacpp xllamacpp`. Ratios of rates are ours over theirs;
ratios of TTFT too, so that there less is better. Raw figures are under `raw`, seconds and tokens per second.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from peers import LlamaBench, LlamaServer, PeerMissing, llama_class_tps, xllamacpp_tps

from engine.commands.latency_probe import Engine, resumed_ttft
from engine.commands.workloads import STORY, prose
from engine.errors import FirstlightError
from engine.host.load_planner import n_cores
from engine.host.model_resolver import resolve
from engine.protocol.values import Speculative
from engine.settings import Folders, Models, Settings, folders

N_CTX = 8192
BENCH_N_CTX = 256
"""llama-bench makes its context just as long as its work."""
N_PARALLEL = 8
PARALLEL_TOKENS = 64
PREFILL_TOKENS = 2000
LOOKUP_RUNS_MIN = 3


class Bench:
    """Holds the engines that measurements share; each measurement returns its ratio and keeps its raw figures."""

    def __init__(self, arguments: argparse.Namespace, scratch: Path) -> None:
        self.model = resolve(arguments.model, Settings(), folders())
        self.n_threads = arguments.threads or n_cores()
        self.n_runs = max(3, arguments.runs)
        self.raw: dict[str, list[float]] = {}
        self._peers = Path(arguments.peers)
        self._xllamacpp = self._peers / "xllamacpp"
        self._settings = Settings(models=Models(last_model=""))
        self._folders = Folders(config=scratch / "config", data=scratch / "data", cache=scratch / "cache")
        self._open = contextlib.ExitStack()
        self._engines: dict[tuple[int, int], Engine] = {}
        self._servers: dict[int, LlamaServer] = {}

    def close(self) -> None:
        self._open.close()

    def measurements(self) -> dict[str, Callable[[], float]]:
        optional = {"decode_vs_xllamacpp": self.decode_vs_xllamacpp} if self._xllamacpp.is_dir() else {}
        return optional | {
            "decode_vs_llama_bench": self.decode_vs_llama_bench,
            "decode_vs_llama_server": self.decode_vs_llama_server,
            "decode_vs_llama_class": self.decode_vs_llama_class,
            "prefill_vs_llama_bench": self.prefill_vs_llama_bench,
            "turn2_ttft_vs_llama_server": self.turn2_ttft_vs_llama_server,
            "resume_ttft_vs_cold": self.resume_ttft_vs_cold,
            "prewarm_ttft_over_decode_step": self.prewarm_ttft_over_decode_step,
            "prewarm_ready_ttft_over_decode_step": self.prewarm_ready_ttft_over_decode_step,
            "parallel8_vs_llama_server": self.parallel8_vs_llama_server,
            "interference_itl_p99_over_p50": self.interference_itl_p99_over_p50,
            "lookup_speedup_edit": lambda: self.lookup_speedup(is_edit=True),
            "lookup_speedup_free": lambda: self.lookup_speedup(is_edit=False),
            "cancel_decode_s": lambda: self.cancel_seconds(in_prefill=False),
            "cancel_prefill_s": lambda: self.cancel_seconds(in_prefill=True),
        }

    def decode_vs_llama_bench(self) -> float:
        ours, bench = self._engine(1, BENCH_N_CTX), self._llama_bench()
        return self._ratio(
            "decode_vs_llama_bench", lambda _: ours.decode_tps_from_start(), lambda _: bench.decode_tps()
        )

    def decode_vs_llama_server(self) -> float:
        ours, server = self._engine(), self._server()
        return self._ratio(
            "decode_vs_llama_server",
            lambda _: ours.decode_tps(),
            lambda _: server.chat(STORY, n_tokens=129).decode_tps,
        )

    def decode_vs_llama_class(self) -> float:
        ours = self._engine()
        return self._ratio(
            "decode_vs_llama_class",
            lambda _: ours.decode_tps(),
            lambda _: llama_class_tps(self.model, self.n_threads, STORY),
        )

    def decode_vs_xllamacpp(self) -> float:
        ours = self._engine()
        return self._ratio(
            "decode_vs_xllamacpp",
            lambda _: ours.decode_tps(),
            lambda _: xllamacpp_tps(self._xllamacpp, self.model, self.n_threads, STORY),
        )

    def prefill_vs_llama_bench(self) -> float:
        ours, bench = self._engine(), self._llama_bench()
        return self._ratio(
            "prefill_vs_llama_bench",
            lambda run: ours.prefill_tps(PREFILL_TOKENS, run),
            lambda _: bench.prefill_tps(PREFILL_TOKENS),
        )

    def turn2_ttft_vs_llama_server(self) -> float:
        ours, server = self._engine(), self._server()

        def theirs(run: int) -> float:
            first = prose(1000, run) + " What is this about?"
            answer = server.chat(first, n_tokens=48).text
            question = "And what else, in a few words? This is question 2."
            return server.chat(first, answer, question, n_tokens=48).ttft

        return self._ratio("turn2_ttft_vs_llama_server", lambda run: ours.turn_ttfts(2, run)[1], theirs)

    def resume_ttft_vs_cold(self) -> float:
        self._close_engines()
        ratios = []
        for run in range(self.n_runs):
            open_engine = functools.partial(Engine, self._settings, self._folders, str(self.model))
            cold, resumed, source = resumed_ttft(open_engine, run, **self._load(N_CTX))
            self._keep("resume_cold_ttft", cold)
            self._keep("resume_ttft", resumed)
            print(f"  resumed from {source}", file=sys.stderr)
            ratios.append(resumed / cold)
        return statistics.median(ratios)

    def prewarm_ttft_over_decode_step(self) -> float:
        return self._prewarm("prewarm", lambda run: self._engine().prewarmed_ttft(run))

    def prewarm_ready_ttft_over_decode_step(self) -> float:
        """The same with a typist who presses Enter when this machine has read the paste."""
        return self._prewarm("prewarm_ready", lambda run: self._engine().prewarmed_ttft(run + 50, is_patient=True))

    def _prewarm(self, name: str, measure: Callable[[int], tuple[float, float]]) -> float:
        ratios = []
        for run in range(self.n_runs):
            ttft, step = measure(run)
            self._keep(f"{name}_ttft", ttft)
            self._keep(f"{name}_decode_step", step)
            ratios.append(ttft / step)
        return statistics.median(ratios)

    def parallel8_vs_llama_server(self) -> float:
        ours, server = self._engine(N_PARALLEL), self._server(N_PARALLEL)

        def theirs(run: int) -> float:
            prompts = [f"{STORY} This is version {run}-{number}." for number in range(N_PARALLEL)]
            return server.parallel_tps(prompts, PARALLEL_TOKENS)

        return self._ratio(
            "parallel8_vs_llama_server",
            lambda run: ours.parallel_tps(N_PARALLEL, n_tokens=PARALLEL_TOKENS, seed=run),
            theirs,
        )

    def interference_itl_p99_over_p50(self) -> float:
        ours = self._engine()
        ratios = []
        for run in range(self.n_runs):
            p50, p99 = ours.interference(run)
            self._keep("interference_itl_p50", p50)
            self._keep("interference_itl_p99", p99)
            ratios.append(p99 / p50)
        return statistics.median(ratios)

    def lookup_speedup(self, *, is_edit: bool) -> float:
        ours = self._engine()
        name = "lookup_speedup_edit" if is_edit else "lookup_speedup_free"
        return self._ratio(
            name,
            lambda _: ours.lookup_tps(Speculative.LOOKUP, is_edit=is_edit),
            lambda _: ours.lookup_tps(Speculative.OFF, is_edit=is_edit),
        )

    def cancel_seconds(self, *, in_prefill: bool) -> float:
        ours = self._engine()
        name = "cancel_prefill_s" if in_prefill else "cancel_decode_s"
        for run in range(self.n_runs):
            self._keep(name, ours.cancel_seconds(run, in_prefill=in_prefill))
        return max(self.raw[name])

    def _ratio(self, name: str, ours: Callable[[int], float], theirs: Callable[[int], float]) -> float:
        """Median of ours over median of theirs; whoever went first goes second the next time."""
        sides = [(f"{name}.ours", ours), (f"{name}.theirs", theirs)]
        for run in range(self.n_runs):
            for side, measure in sides if run % 2 == 0 else reversed(sides):
                self._keep(side, measure(run))
        return statistics.median(self.raw[f"{name}.ours"]) / statistics.median(self.raw[f"{name}.theirs"])

    def _keep(self, name: str, value: float) -> None:
        self.raw.setdefault(name, []).append(value)
        print(f"  {name}: {value:.4g}", file=sys.stderr)

    def _load(self, n_ctx: int) -> dict[str, int]:
        return {"n_ctx": n_ctx, "n_threads": self.n_threads, "n_threads_batch": self.n_threads}

    def _engine(self, n_parallel: int = 4, n_ctx: int = N_CTX) -> Engine:
        key = (n_parallel, n_ctx)
        if key not in self._engines:
            made = Engine(self._settings, self._folders, str(self.model), n_parallel=n_parallel, **self._load(n_ctx))
            self._engines[key] = self._open.enter_context(made)
        return self._engines[key]

    def _server(self, n_parallel: int = 1) -> LlamaServer:
        if n_parallel not in self._servers:
            made = LlamaServer(
                self._peers / "llama-server",
                self.model,
                n_threads=self.n_threads,
                n_ctx=N_CTX,
                n_parallel=n_parallel,
            )
            self._servers[n_parallel] = self._open.enter_context(made)
        return self._servers[n_parallel]

    def _close_engines(self) -> None:
        """A restart is measured alone."""
        self._open.close()
        self._engines.clear()
        self._servers.clear()

    def _llama_bench(self) -> LlamaBench:
        program = self._peers / "llama-bench"
        if not program.exists():
            raise PeerMissing(f"{program} is missing: build the peers first.")
        effective = next(iter(self._engines.values())).effective
        assert effective is not None
        return LlamaBench(program, self.model, self.n_threads, has_flash_attn=effective.flash_attn)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", required=True, help="folder with llama-bench and llama-server")
    parser.add_argument("--only", default="", help="names of ratios, separated by commas")
    parser.add_argument("--model", default="starter")
    parser.add_argument("--runs", type=int, default=3, help="runs of each side, 3 or more")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--json", default="-", help="file for the result; - prints it")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="firstlight-bench-") as scratch:
        bench = Bench(arguments, Path(scratch))
        known = bench.measurements()
        names = arguments.only.split(",") if arguments.only else list(known)
        if unknown := [name for name in names if name not in known]:
            parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(known)}")
        try:
            result: dict[str, object] = {name: _measured(name, known[name]) for name in names}
        except (FirstlightError, PeerMissing) as error:
            print(error, file=sys.stderr)
            return 1
        finally:
            bench.close()
    text = json.dumps(result | {"n_threads": bench.n_threads, "n_runs": bench.n_runs, "raw": bench.raw}, indent=2)
    if arguments.json == "-":
        print(text)
    else:
        Path(arguments.json).write_text(text + "\n", encoding="utf-8")
    return 0


def _measured(name: str, measure: Callable[[], float]) -> float:
    print(name, file=sys.stderr)
    return measure()


if __name__ == "__main__":
    sys.exit(main())
