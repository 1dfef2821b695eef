"""What the arena itself costs, next to the targets."""

from arena.bench.referee import RefereeBench, bench_referee, show
from arena.errors import BenchError

__all__ = ["BenchError", "RefereeBench", "bench_referee", "show"]
