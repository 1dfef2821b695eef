"""What a result changes on the way back to the root."""

from __future__ import annotations

from typing import Any

import numpy as np

from players.compiled import atomics as shared
from players.compiled.cache import bare_part
from players.search.tree import NEAR


@bare_part
def add_result(tree: Any, node: Any, result: Any, settings: Any) -> None:
    """Add the result, as its chooser sees it, of visits that were counted on the way down."""
    if settings.shared:
        shared.add(tree.total, node, result)
    else:
        tree.total[node] += result


@bare_part
def prove_parent(tree: Any, parent: Any, child: Any, seat: Any, settings: Any) -> Any:
    """What the proof of a child proves of its parent, where `seat` is to move; whether the parent
    is proven now.

    One child as good as can be is enough; else all must be proven (Winands, Björnsson and Saito
    2008), and the parent is worth what the best of them is: a loss, a draw or a margin.
    """
    proof = tree.proof[child]
    sign = 1 if seat == 0 else -1
    best = sign * np.int64(proof)
    if best < settings.highest:
        if tree.proof[parent] > NEAR:
            return True
        tree.proof[parent] = NEAR
        first, count = np.int64(tree.first[parent]), np.int64(tree.count[parent])
        for sibling in range(first, first + count):
            proof = tree.proof[sibling]
            if proof <= NEAR:
                return False
            best = max(best, sign * np.int64(proof))
    tree.proof[parent] = np.int8(sign * best)
    return True
