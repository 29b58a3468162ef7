"""A whole service over HTTP: FastAPI in front, SQLite or PostgreSQL behind. Read `fastapi.md` beside it."""
