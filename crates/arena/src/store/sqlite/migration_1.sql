-- A log per experiment; experiment 0 is the arena itself. Kinds and bodies: `domain/log/event.rs`.
-- The rows of an experiment are stored together, so that one pass folds its log.
CREATE TABLE log (
    experiment INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    duel INTEGER,
    client TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (experiment, seq)
) STRICT, WITHOUT ROWID;

-- A duel is answered, voided, shown or expired at most once, no matter which process writes.
CREATE UNIQUE INDEX log_duel ON log (experiment, kind, duel) WHERE duel IS NOT NULL;

-- A client id is used at most once.
CREATE UNIQUE INDEX log_client ON log (experiment, client) WHERE client IS NOT NULL;

CREATE TRIGGER log_is_never_changed BEFORE UPDATE ON log
BEGIN
    SELECT raise(ABORT, 'the log is append-only');
END;

CREATE TRIGGER log_is_never_shortened BEFORE DELETE ON log
BEGIN
    SELECT raise(ABORT, 'the log is append-only');
END;

-- States to start from. They can be deleted: the log has all data.
CREATE TABLE snapshot (
    experiment INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (experiment, seq)
) STRICT;
