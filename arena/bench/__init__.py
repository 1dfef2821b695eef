"""What the arena itself costs, measured beside the targets."""

from arena.bench.instant_player import BenchError
from arena.bench.referee import RefereeBench, bench_referee, show

__all__ = ["BenchError", "RefereeBench", "bench_referee", "show"]
