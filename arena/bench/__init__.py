"""What the arena itself costs, measured beside the targets."""

from arena.bench.referee import RefereeBench, bench_referee, show

__all__ = ["RefereeBench", "bench_referee", "show"]
