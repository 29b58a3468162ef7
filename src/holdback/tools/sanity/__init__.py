"""What is wrong with rules and seen without a solver: gaps, jumps, far dates, prices, figures."""
