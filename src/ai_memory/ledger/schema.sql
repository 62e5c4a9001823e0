CREATE TABLE workspace (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created TEXT NOT NULL) STRICT;

CREATE TABLE project (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL REFERENCES workspace(id), name TEXT NOT NULL, created TEXT NOT NULL,
  UNIQUE (workspace, name)
) STRICT;

CREATE TABLE identity (
  identity TEXT PRIMARY KEY, project TEXT NOT NULL REFERENCES project(id), how TEXT NOT NULL, at TEXT NOT NULL
) STRICT;

CREATE TABLE session (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, project TEXT NOT NULL, agent TEXT NOT NULL, native TEXT NOT NULL,
  file TEXT NOT NULL, started TEXT NOT NULL, last TEXT NOT NULL, ended TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT '', ending INTEGER NOT NULL DEFAULT 0, lines INTEGER NOT NULL DEFAULT 0,
  covered INTEGER NOT NULL DEFAULT 0, acted INTEGER NOT NULL DEFAULT 0, page TEXT NOT NULL DEFAULT '',
  cwd TEXT NOT NULL DEFAULT '', branch TEXT NOT NULL DEFAULT '', machine TEXT NOT NULL DEFAULT '',
  bytes INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX session_project ON session (project, last);
CREATE INDEX session_open ON session (ended, last);
CREATE INDEX session_file ON session (file);

-- Bytes of evidence that are acknowledged by this ledger's own flush; their files are flushed soon after.
CREATE TABLE unsettled (seq INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL, start INTEGER NOT NULL, data BLOB NOT NULL) STRICT;

CREATE TABLE key (session TEXT NOT NULL, key TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (session, key)) STRICT, WITHOUT ROWID;
CREATE INDEX key_age ON key (at);

CREATE TABLE baton (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, project TEXT NOT NULL, state TEXT NOT NULL, origin TEXT NOT NULL,
  session TEXT NOT NULL, agent TEXT NOT NULL, owner TEXT NOT NULL, cwd TEXT NOT NULL, branch TEXT NOT NULL,
  to_agent TEXT NOT NULL, to_branch TEXT NOT NULL, to_worktree TEXT NOT NULL, created TEXT NOT NULL, expires TEXT NOT NULL,
  claimed_by TEXT NOT NULL DEFAULT '', claimed_at TEXT NOT NULL DEFAULT '', body TEXT NOT NULL
) STRICT;
CREATE INDEX baton_project ON baton (project, state, created);
CREATE INDEX baton_claimed ON baton (claimed_by);

CREATE TABLE offer (
  session TEXT NOT NULL, baton TEXT NOT NULL, at TEXT NOT NULL, told INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (session, baton)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  at TEXT NOT NULL, actor TEXT NOT NULL, verb TEXT NOT NULL, project TEXT NOT NULL, target TEXT NOT NULL
) STRICT;
