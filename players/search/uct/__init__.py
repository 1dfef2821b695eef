"""UCT (Kocsis and Szepesvári 2006), written once for every game.

Each iteration descends by UCB1, tries the children of a node in random order before it compares
them, finds what the new node is worth, by default with a random game, and adds that to every node
on the way. Proven results are backed up (MCTS-solver), near endgames solved.
"""
