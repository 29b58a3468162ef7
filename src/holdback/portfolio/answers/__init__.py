"""Answers as tables, pages and workbooks."""
