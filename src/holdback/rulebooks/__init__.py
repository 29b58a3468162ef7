"""The rulebook of a day, as plain values: what an engine decides by, wherever it was read."""
