"""A complete service over HTTP on SQLite or PostgreSQL. `fastapi.md` explains it."""
