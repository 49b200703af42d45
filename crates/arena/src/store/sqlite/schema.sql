-- A log per experiment; experiment 0 is the arena itself. Kinds and bodies: `domain/log/event.rs`;
-- hashes: `domain/log/chain.rs`. The rows of an experiment are stored together, so that one pass
-- folds its log.
CREATE TABLE log (
    experiment INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    duel INTEGER,
    client TEXT,
    body TEXT NOT NULL,
    hash BLOB NOT NULL,
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

-- The heads of the logs in a backup, which is a single file. A data directory has them in a file of
-- their own.
CREATE TABLE head (
    experiment INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;

-- One row, written again after a failed commit: see `settle`.
CREATE TABLE settled (
    times INTEGER NOT NULL
) STRICT;
INSERT INTO settled VALUES (0);

-- The names of voters, whom the log knows only by random numbers. The mark is a checksum of the row:
-- `domain/log/people.rs`. An erased name is NULL, and its mark is empty.
CREATE TABLE voter (
    experiment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT,
    mark BLOB NOT NULL,
    PRIMARY KEY (experiment, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX voter_name ON voter (experiment, name) WHERE name IS NOT NULL;

-- Contents that a record of the log holds only as a salted hash, because they may say something
-- about a person. Erased contents are NULL, and so is their salt.
CREATE TABLE apart (
    experiment INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    salt BLOB,
    content TEXT,
    PRIMARY KEY (experiment, seq)
) STRICT, WITHOUT ROWID;
