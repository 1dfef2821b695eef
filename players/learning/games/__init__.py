"""Networks for Othello and for dots and boxes that learn an evaluation from games with themselves,
by temporal differences at 1 ply.
"""
