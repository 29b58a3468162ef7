CREATE TABLE merchants (
	partner TEXT NOT NULL,
	merchant_id TEXT NOT NULL,
	version INTEGER NOT NULL,
	state BYTEA NOT NULL,
	PRIMARY KEY (partner, merchant_id)
);
CREATE TABLE names (
	partner TEXT NOT NULL,
	kind TEXT NOT NULL,
	name TEXT NOT NULL,
	merchant_id TEXT NOT NULL,
	PRIMARY KEY (partner, kind, name)
);
CREATE TABLE replies (
	caller TEXT NOT NULL,
	key TEXT NOT NULL,
	asked TEXT NOT NULL,
	reply BYTEA NOT NULL,
	PRIMARY KEY (caller, key)
);
CREATE TABLE events (
	number BIGSERIAL NOT NULL,
	partner TEXT NOT NULL,
	merchant_id TEXT NOT NULL,
	place INTEGER NOT NULL,
	event BYTEA NOT NULL,
	due BIGINT,
	tries INTEGER NOT NULL,
	PRIMARY KEY (number),
	UNIQUE (partner, merchant_id, place)
);
CREATE INDEX events_due ON events (partner, due) WHERE due IS NOT NULL;
