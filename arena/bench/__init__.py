"""What the arena itself costs, measured beside the targets."""

from arena.bench.referee import BenchError, RefereeBench, bench_referee, show

__all__ = ["BenchError", "RefereeBench", "bench_referee", "show"]
