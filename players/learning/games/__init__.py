"""Networks for Othello and dots that learn an evaluation from games with themselves at 1 ply."""
