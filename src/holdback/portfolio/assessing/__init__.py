"""Assessing: the outcome and the reasons of each row."""
