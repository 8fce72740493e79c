-- Names are compared byte by byte (COLLATE "C"), as the other stores do.

CREATE TABLE countersign.runs (
    run     text COLLATE "C" PRIMARY KEY,
    epoch   bigint  NOT NULL,
    seq     bigint  NOT NULL,
    oldest  bigint  NOT NULL,
    open    boolean NOT NULL,
    bytes   bigint  NOT NULL,
    node    text    NOT NULL,
    address text    NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX runs_open ON countersign.runs (run) WHERE open;

CREATE TABLE countersign.events (
    run   text COLLATE "C" NOT NULL,
    seq   bigint NOT NULL,
    epoch bigint NOT NULL,
    kind  text   NOT NULL,
    at    bigint NOT NULL,
    body  text   NOT NULL,
    PRIMARY KEY (run, seq)
);

CREATE TABLE countersign.beats (
    node text PRIMARY KEY,
    beat bigint NOT NULL,
    -- For tidying up only; whether a node is alive is told by its beat.
    at   timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE countersign.records (
    kind       text   NOT NULL,
    id         text COLLATE "C" NOT NULL,
    parent     text   NOT NULL,
    state      text   NOT NULL,
    created_at bigint NOT NULL,
    version    bigint NOT NULL,
    -- json keeps the text as it came, the order of the keys too; jsonb would not.
    body       json   NOT NULL,
    bytes      bytea,
    PRIMARY KEY (kind, id)
);
CREATE INDEX records_by_time ON countersign.records (kind, created_at, id);
CREATE INDEX records_by_parent ON countersign.records (parent, kind, created_at, id);
CREATE INDEX records_by_state ON countersign.records (kind, state, created_at, id);

CREATE TABLE countersign.flags (
    scope   text COLLATE "C" PRIMARY KEY,
    raised  bigint NOT NULL,
    cleared bigint NOT NULL,
    at      bigint NOT NULL
);

-- A limit that a crash forgets does no harm, so it costs no write-ahead log.
CREATE UNLOGGED TABLE countersign.limits (
    key     text PRIMARY KEY,
    drained double precision NOT NULL
) WITH (fillfactor = 50);

-- Takes one from a cell that drains evenly; gives the wait in microseconds, 0 for none.
CREATE FUNCTION countersign.take(cell text, each double precision, filled double precision) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    now_us double precision;
    level  double precision;
BEGIN
    INSERT INTO countersign.limits VALUES (cell, 0) ON CONFLICT DO NOTHING;
    SELECT drained INTO level FROM countersign.limits WHERE key = cell FOR UPDATE;
    -- Only now, after the wait for the lock. The clock may have been set back: a cell is never more than full.
    now_us := extract(epoch FROM clock_timestamp()) * 1e6;
    level := least(greatest(coalesce(level, 0), now_us), now_us + filled);
    -- Half a microsecond of forgiveness: these are sums of fractions.
    IF level + each > now_us + filled + 0.5 THEN
        RETURN ceil(level + each - now_us - filled)::bigint;
    END IF;
    UPDATE countersign.limits SET drained = level + each WHERE key = cell;
    IF random() < 0.001 THEN
        DELETE FROM countersign.limits WHERE drained < now_us - 6e7 AND key <> cell;
    END IF;
    RETURN 0;
END $$;
