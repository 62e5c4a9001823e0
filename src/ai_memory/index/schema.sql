-- The shadow of the files: everything here can be deleted and read again from wiki/ and raw/.
-- Ids of pages and evidence carry their project in the high bits (project.no << 32), so that a full-text
-- query can be held to a project by a range of rowids. The full-text tables keep no copy of the text; what was put
-- in is derived again (words.py) when it is taken out. A change of this file or of words.py is a new, empty index.

CREATE TABLE about (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE project (
  no INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  project TEXT NOT NULL UNIQUE,
  pages INTEGER NOT NULL DEFAULT 0,
  evidence INTEGER NOT NULL DEFAULT 0,
  erased INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE page (
  id INTEGER PRIMARY KEY,
  project_no INTEGER NOT NULL,
  path TEXT NOT NULL,
  version TEXT NOT NULL,
  supersedes TEXT NOT NULL,
  "by" TEXT NOT NULL,
  at TEXT NOT NULL,
  manual INTEGER NOT NULL,
  blob TEXT NOT NULL,
  title TEXT NOT NULL,
  type TEXT NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  size INTEGER NOT NULL,
  cut TEXT NOT NULL DEFAULT '',
  meta TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX page_uncut ON page (id) WHERE cut <> version;
CREATE UNIQUE INDEX page_path ON page (project_no, path);
CREATE INDEX page_recent ON page (project_no, at DESC, path);

CREATE TABLE version (
  project_no INTEGER NOT NULL,
  path TEXT NOT NULL,
  version TEXT NOT NULL,
  supersedes TEXT NOT NULL,
  "by" TEXT NOT NULL,
  at TEXT NOT NULL,
  manual INTEGER NOT NULL,
  blob TEXT NOT NULL,
  deleted INTEGER NOT NULL,
  PRIMARY KEY (project_no, path, version)
) WITHOUT ROWID;

CREATE TABLE link (
  page INTEGER NOT NULL REFERENCES page (id) ON DELETE CASCADE,
  target TEXT NOT NULL,
  project_no INTEGER NOT NULL,
  PRIMARY KEY (page, target)
) WITHOUT ROWID;
CREATE INDEX link_target ON link (project_no, target);

CREATE VIRTUAL TABLE page_words USING fts5 (
  title, lead, body, extra,
  content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE VIRTUAL TABLE page_terms USING fts5vocab (page_words, col);

CREATE TABLE mark (
  no INTEGER PRIMARY KEY,
  file TEXT NOT NULL UNIQUE,
  offset INTEGER NOT NULL,
  tag TEXT NOT NULL
);

CREATE TABLE session (
  no INTEGER PRIMARY KEY,
  project_no INTEGER NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  native TEXT NOT NULL,
  started TEXT NOT NULL,
  cwd TEXT NOT NULL,
  branch TEXT NOT NULL,
  machine TEXT NOT NULL,
  turns INTEGER NOT NULL DEFAULT 0,
  cut INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX session_uncut ON session (no) WHERE cut < turns;
CREATE UNIQUE INDEX session_id ON session (project_no, session);
CREATE INDEX session_started ON session (project_no, started DESC, session);

CREATE TABLE evidence (
  id INTEGER PRIMARY KEY,
  session_no INTEGER NOT NULL REFERENCES session (no),
  mark_no INTEGER NOT NULL REFERENCES mark (no),
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  key TEXT NOT NULL,
  at TEXT NOT NULL,
  kind TEXT NOT NULL,
  role TEXT NOT NULL,
  turn INTEGER NOT NULL,
  size INTEGER NOT NULL,
  tool TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE UNIQUE INDEX evidence_place ON evidence (mark_no, start);
CREATE INDEX evidence_session ON evidence (session_no, start);

CREATE VIRTUAL TABLE evidence_words USING fts5 (
  text, extra,
  content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE VIRTUAL TABLE evidence_terms USING fts5vocab (evidence_words, col);

-- What a vector stands for: a section of a page (kind 0, owner the page's id, first and last its lines), or some
-- consecutive turns of a session (owner the session's number, kind how many turns, first and last their places).
CREATE TABLE passage (
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  owner INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  hash BLOB NOT NULL
);
CREATE UNIQUE INDEX passage_place ON passage (kind, owner, first);

-- Every word of a project, with the number of texts that hold it: where misspelt and partial words are looked up.
CREATE TABLE word (
  id INTEGER PRIMARY KEY,
  project_no INTEGER NOT NULL,
  text TEXT NOT NULL,
  texts INTEGER NOT NULL
);
CREATE UNIQUE INDEX word_text ON word (project_no, text);

CREATE VIRTUAL TABLE word_parts USING fts5 (
  text, content = 'word', content_rowid = 'id', tokenize = 'trigram'
);
