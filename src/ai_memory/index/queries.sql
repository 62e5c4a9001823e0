-- Every statement of the index. Ids: project number << 32 | running number.

-- about_get: one fact about the index itself
SELECT value FROM about WHERE key = ?;

-- about_set: note one fact about the index itself
INSERT INTO about (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- about_drop: take one fact away
DELETE FROM about WHERE key = ?;

-- project_number: the number of a project
SELECT no FROM project WHERE project = ?;

-- project_add: give a project the next number
INSERT INTO project (workspace, project) VALUES (?, ?);

-- project_pages: count a project's pages up or down
UPDATE project SET pages = pages + ? WHERE no = ?;

-- project_evidence: count a project's observations up or down
UPDATE project SET evidence = evidence + ? WHERE no = ?;

-- project_sizes: how many pages and observations the projects of a JSON array have
SELECT sum(pages) AS page, sum(evidence) AS evidence FROM project WHERE no IN (SELECT value FROM json_each(?));

-- project_erased: note that rows of a project are gone, whose ids may come again
UPDATE project SET erased = erased + 1 WHERE no = ?;

-- project_stamp: what tells that ids of a project still mean what they meant
SELECT project, erased FROM project WHERE no = ?;

-- project_drop: forget a project's number
DELETE FROM project WHERE no = ?;

-- page_get: one page as it is indexed
SELECT * FROM page WHERE project_no = ? AND path = ?;

-- page_last: the highest page id of a range
SELECT max(id) FROM page WHERE id BETWEEN ? AND ?;

-- page_put: the latest version of a page
INSERT INTO page (id, project_no, path, version, supersedes, "by", at, manual, blob, title, type, description, tags,
                  pinned, size, meta, body)
VALUES (:id, :no, :path, :version, :supersedes, :by, :at, :manual, :blob, :title, :type, :description, :tags,
        :pinned, :size, :meta, :body)
ON CONFLICT (id) DO UPDATE SET
  version = excluded.version, supersedes = excluded.supersedes, "by" = excluded."by", at = excluded.at,
  manual = excluded.manual, blob = excluded.blob, title = excluded.title, type = excluded.type,
  description = excluded.description, tags = excluded.tags, pinned = excluded.pinned, size = excluded.size,
  meta = excluded.meta, body = excluded.body;

-- page_drop: take a page away, its links with it
DELETE FROM page WHERE id = ?;

-- page_paths: the paths of a project's pages
SELECT path FROM page WHERE project_no = ? ORDER BY path;

-- page_words_put: make a page's words findable
INSERT INTO page_words (rowid, title, lead, body, extra) VALUES (?, ?, ?, ?, ?);

-- page_words_drop: take out a page's words, which must be the ones put in
INSERT INTO page_words (page_words, rowid, title, lead, body, extra) VALUES ('delete', ?, ?, ?, ?, ?);

-- page_uncut: pages whose sections are not those of their latest version
SELECT id, title, body, version FROM page WHERE cut <> version ORDER BY id DESC LIMIT ?;

-- page_cut: note which version of a page is cut into sections
UPDATE page SET cut = ? WHERE id = ?;

-- page_owned: title and text of pages given by id
SELECT id, title, body FROM page WHERE id IN (SELECT value FROM json_each(?));

-- passage_last: the highest passage id of a range
SELECT max(id) FROM passage WHERE id BETWEEN ? AND ?;

-- passage_put: one passage, in the place of the one that began there
INSERT INTO passage (id, kind, owner, first, last, hash) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (kind, owner, first) DO UPDATE SET last = excluded.last, hash = excluded.hash;

-- passage_drop: the passages of an owner that begin at or after a place
DELETE FROM passage WHERE kind = ? AND owner = ? AND first >= ?;

-- passage_all: every passage
SELECT id, kind, owner, first, last, hash FROM passage ORDER BY id;

-- passage_of: the passages of an owner
SELECT id, kind, owner, first, last, hash FROM passage WHERE kind = ? AND owner = ? ORDER BY first;

-- turns_from: a session's turns from a place on
SELECT turn, role, tool, text FROM evidence WHERE session_no = ? AND turn >= ? ORDER BY id;

-- turns_new: of a project's turns with ids above a given one: id, session, place in it, size
SELECT id, session_no, turn, size FROM evidence WHERE id > ? AND id <= ? ORDER BY id;

-- version_put: one version of a page, once
INSERT INTO version (project_no, path, version, supersedes, "by", at, manual, blob, deleted)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (project_no, path, version) DO UPDATE SET
  supersedes = excluded.supersedes, "by" = excluded."by", at = excluded.at, manual = excluded.manual,
  blob = excluded.blob, deleted = excluded.deleted;

-- version_drop: forget every version of a page
DELETE FROM version WHERE project_no = ? AND path = ?;

-- version_drop_project: forget every version of a project's pages
DELETE FROM version WHERE project_no = ?;

-- link_drop: the links out of a page
DELETE FROM link WHERE page = ?;

-- link_put: a link out of a page
INSERT OR IGNORE INTO link (page, target, project_no) VALUES (?, ?, ?);

-- mark_get: how far a file is indexed
SELECT offset, tag FROM mark WHERE file = ?;

-- mark_set: note how far a file is indexed
INSERT INTO mark (file, offset, tag) VALUES (?, ?, ?)
ON CONFLICT (file) DO UPDATE SET offset = excluded.offset, tag = excluded.tag;

-- mark_touch: make a file known, its mark at the start
INSERT OR IGNORE INTO mark (file, offset, tag) VALUES (?, 0, '');

-- mark_number: the number of a file
SELECT no FROM mark WHERE file = ?;

-- mark_drop: forget a file
DELETE FROM mark WHERE file = ?;

-- mark_all: every file with its mark
SELECT file, offset, tag FROM mark ORDER BY file;

-- session_put: the header of a session; what is already known and not given again stays
INSERT INTO session (project_no, session, agent, native, started, cwd, branch, machine) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (project_no, session) DO UPDATE SET
  agent = excluded.agent, native = excluded.native, started = excluded.started, cwd = excluded.cwd,
  branch = excluded.branch, machine = excluded.machine;

-- session_touch: make a session known before its header came
INSERT OR IGNORE INTO session (project_no, session, agent, native, started, cwd, branch, machine)
VALUES (?, ?, ?, '', ?, '', '', '');

-- session_number: the number of a session and how many turns it has
SELECT no, turns FROM session WHERE project_no = ? AND session = ?;

-- session_numbers: the numbers of a session in every project it touched
SELECT no, project_no FROM session WHERE session = ?;

-- session_numbers_of: the numbers of a project's sessions
SELECT no, project_no FROM session WHERE project_no = ?;

-- session_grow: note how many turns a session has
UPDATE session SET turns = ? WHERE no = ?;

-- session_uncut: sessions with turns that are in no window yet, the newest first
SELECT no, project_no, turns, cut FROM session WHERE cut < turns ORDER BY no DESC LIMIT ?;

-- session_cut: note up to which turn a session is cut into windows
UPDATE session SET cut = ? WHERE no = ?;

-- session_years: the years in which a project's sessions began
SELECT DISTINCT substr(started, 1, 4) FROM session WHERE project_no = ?;

-- session_drop: forget a session
DELETE FROM session WHERE no = ?;

-- evidence_last: the highest evidence id of a range
SELECT max(id) FROM evidence WHERE id BETWEEN ? AND ?;

-- evidence_put: one observation, once
INSERT OR IGNORE INTO evidence (id, session_no, mark_no, start, "end", key, at, kind, role, turn, size, tool, text)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- evidence_of: what a session's words were made from, to take them out
SELECT id, text, tool FROM evidence WHERE session_no = ? ORDER BY id;

-- evidence_files: the files that hold a session
SELECT DISTINCT mark.file FROM evidence JOIN mark ON mark.no = evidence.mark_no WHERE session_no = ?;

-- evidence_drop: take a session's observations away
DELETE FROM evidence WHERE session_no = ?;

-- evidence_words_put: make an observation's words findable
INSERT INTO evidence_words (rowid, text, extra) VALUES (?, ?, ?);

-- evidence_words_drop: take out an observation's words, which must be the ones put in
INSERT INTO evidence_words (evidence_words, rowid, text, extra) VALUES ('delete', ?, ?, ?);

-- word_last: the highest word id
SELECT coalesce(max(id), 0) FROM word;

-- word_count: add to the number of texts that hold each word of a JSON object
INSERT INTO word (project_no, text, texts)
SELECT ?1, change.key, change.value FROM json_each(?2) AS change WHERE true
ON CONFLICT (project_no, text) DO UPDATE SET texts = texts + excluded.texts;

-- word_parts_put: make the words with ids above a given one findable by their parts
INSERT INTO word_parts (rowid, text) SELECT id, text FROM word WHERE id > ? ORDER BY id;

-- word_parts_gone: take out the parts of those of the given words that no text holds any more
INSERT INTO word_parts (word_parts, rowid, text)
SELECT 'delete', id, text FROM word
WHERE project_no = ?1 AND texts <= 0 AND text IN (SELECT key FROM json_each(?2));

-- word_gone: forget those of the given words that no text holds any more
DELETE FROM word WHERE project_no = ?1 AND texts <= 0 AND text IN (SELECT key FROM json_each(?2));

-- word_like: the words of a scope that share parts with what was typed, the likest first
SELECT word.text, word.texts FROM word_parts JOIN word ON word.id = word_parts.rowid
WHERE word_parts MATCH ?1 AND word.project_no IN (SELECT value FROM json_each(?2))
ORDER BY bm25(word_parts), word.text LIMIT ?3;

-- page_count: in how many texts of a scope's pages a term occurs, counted no further than a limit
SELECT count(*) FROM (
  SELECT rowid FROM page_words
  WHERE page_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3
    AND (?4 IS NULL OR (rowid >> 32) IN (SELECT value FROM json_each(?4)))
  LIMIT ?5
);

-- page_find: ids and scores of the best pages of a scope, lowest score first
SELECT rowid, bm25(page_words, 5.0, 2.0, 1.0, 1.2) AS score FROM page_words
WHERE page_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3
  AND (?4 IS NULL OR (rowid >> 32) IN (SELECT value FROM json_each(?4)))
ORDER BY score LIMIT ?5;

-- page_find_tied: the same in the order of paths where scores are equal; slower, for a cut through a tie
SELECT page_words.rowid, bm25(page_words, 5.0, 2.0, 1.0, 1.2) AS score FROM page_words
JOIN page ON page.id = page_words.rowid JOIN project ON project.no = page.project_no
WHERE page_words MATCH ?1 AND page_words.rowid BETWEEN ?2 AND ?3
  AND (?4 IS NULL OR (page_words.rowid >> 32) IN (SELECT value FROM json_each(?4)))
ORDER BY score, project.project, page.path LIMIT ?5;

-- page_hit: what is shown of pages given by id
SELECT page.id, project.workspace, project.project, path, version, at, title, type, description, tags, body
FROM page JOIN project ON project.no = page.project_no
WHERE page.id IN (SELECT value FROM json_each(?));

-- evidence_count: in how many texts of a scope's evidence a term occurs, counted no further than a limit
SELECT count(*) FROM (
  SELECT rowid FROM evidence_words
  WHERE evidence_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3
    AND (?4 IS NULL OR (rowid >> 32) IN (SELECT value FROM json_each(?4)))
  LIMIT ?5
);

-- evidence_ids: the ids of the observations of a range that hold a term, as one text
SELECT group_concat(rowid, ' ') FROM (
  SELECT rowid FROM evidence_words WHERE evidence_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3 LIMIT ?4
);

-- evidence_find: ids and scores of the best observations of a scope, lowest score first
SELECT rowid, bm25(evidence_words, 1.0, 1.2) AS score FROM evidence_words
WHERE evidence_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3
  AND (?4 IS NULL OR (rowid >> 32) IN (SELECT value FROM json_each(?4)))
ORDER BY score LIMIT ?5;

-- evidence_find_tied: the same in the order of files and offsets where scores are equal
SELECT evidence_words.rowid, bm25(evidence_words, 1.0, 1.2) AS score FROM evidence_words
JOIN evidence ON evidence.id = evidence_words.rowid JOIN mark ON mark.no = evidence.mark_no
WHERE evidence_words MATCH ?1 AND evidence_words.rowid BETWEEN ?2 AND ?3
  AND (?4 IS NULL OR (evidence_words.rowid >> 32) IN (SELECT value FROM json_each(?4)))
ORDER BY score, mark.file, evidence.start LIMIT ?5;

-- session_began: when sessions given by number began
SELECT no, started FROM session WHERE no IN (SELECT value FROM json_each(?));

-- evidence_hit: what is shown of observations given by id
SELECT evidence.id, project.workspace, project.project, session.session, session.agent, mark.file, evidence.start,
       evidence."end", evidence.key, evidence.at, evidence.kind, evidence.role, evidence.tool, evidence.text
FROM evidence JOIN session ON session.no = evidence.session_no JOIN project ON project.no = session.project_no
JOIN mark ON mark.no = evidence.mark_no
WHERE evidence.id IN (SELECT value FROM json_each(?));

-- recent_pages: a project's pages, newest first
SELECT project.workspace, project.project, path, version, supersedes, "by", at, manual, blob, title, type, description,
       tags, pinned, size
FROM page JOIN project ON project.no = page.project_no
WHERE page.project_no = ? ORDER BY at DESC, path LIMIT ?;

-- all_pages: a project's pages by path
SELECT project.workspace, project.project, path, version, supersedes, "by", at, manual, blob, title, type, description,
       tags, pinned, size
FROM page JOIN project ON project.no = page.project_no
WHERE page.project_no = ? ORDER BY path;

-- page_one: one page without its body
SELECT project.workspace, project.project, path, version, supersedes, "by", at, manual, blob, title, type, description,
       tags, pinned, size
FROM page JOIN project ON project.no = page.project_no
WHERE page.project_no = ? AND path = ?;

-- page_body: the text of one page
SELECT body FROM page WHERE project_no = ? AND path = ?;

-- versions_of: the versions of one page, newest first
SELECT project.workspace, project.project, path, version, supersedes, "by", at, manual, blob, deleted
FROM version JOIN project ON project.no = version.project_no
WHERE version.project_no = ? AND path = ? ORDER BY at DESC, version DESC;

-- links_from: where a page points
SELECT target FROM link JOIN page ON page.id = link.page WHERE page.project_no = ? AND page.path = ? ORDER BY target;

-- links_to: the pages that point at a path
SELECT page.path FROM link JOIN page ON page.id = link.page
WHERE link.project_no = ? AND link.target = ? ORDER BY page.path;

-- sessions_of: a project's sessions, newest first, with what is known of their evidence
SELECT project.workspace, project.project, session, agent, native, started, cwd, branch, machine,
       (SELECT count(*) FROM evidence WHERE session_no = session.no) AS events,
       (SELECT max(at) FROM evidence WHERE session_no = session.no) AS last
FROM session JOIN project ON project.no = session.project_no
WHERE session.project_no = ? ORDER BY started DESC, session LIMIT ?;

-- evidence_page: a session's observations in order from a byte offset on
SELECT session.session, session.agent, mark.file, start, "end", key, evidence.at, kind, role, tool, text
FROM evidence JOIN session ON session.no = evidence.session_no JOIN mark ON mark.no = evidence.mark_no
WHERE session.project_no = ? AND session.session = ? AND start >= ? ORDER BY mark.file, start LIMIT ?;

-- counts: how much of each thing there is
SELECT count(*) AS projects, coalesce(sum(pages), 0) AS pages, (SELECT count(*) FROM version) AS versions,
       (SELECT count(*) FROM session) AS sessions, coalesce(sum(evidence), 0) AS evidence,
       (SELECT count(*) FROM word) AS words
FROM project;

-- counts_of: how much of each thing a project has
SELECT coalesce((SELECT pages FROM project WHERE no = ?1), 0) AS pages,
       (SELECT count(*) FROM session WHERE project_no = ?1) AS sessions,
       coalesce((SELECT evidence FROM project WHERE no = ?1), 0) AS evidence,
       (SELECT max(at) FROM page WHERE project_no = ?1) AS last_page,
       (SELECT max(started) FROM session WHERE project_no = ?1) AS last_session;

-- projects_all: every project that is indexed
SELECT no, workspace, project FROM project ORDER BY project;

-- bytes: the size of the database in bytes
SELECT page_count * page_size FROM pragma_page_count, pragma_page_size;

-- dump_pages: pages for the dump
SELECT workspace, project.project, path, version, supersedes, "by", at, manual, blob, title, type, description, tags,
       pinned, size, meta, body
FROM page JOIN project ON project.no = page.project_no ORDER BY project.project, path;

-- dump_versions: version chains for the dump
SELECT workspace, project.project, path, version, supersedes, "by", at, manual, blob, deleted
FROM version JOIN project ON project.no = version.project_no ORDER BY project.project, path, version;

-- dump_links: links for the dump
SELECT project.project, page.path, link.target
FROM link JOIN page ON page.id = link.page JOIN project ON project.no = page.project_no
ORDER BY project.project, page.path, link.target;

-- dump_marks: how far each file is indexed, for the dump
SELECT file, offset, tag FROM mark ORDER BY file;

-- dump_sessions: sessions for the dump
SELECT workspace, project.project, session, agent, native, started, cwd, branch, machine
FROM session JOIN project ON project.no = session.project_no ORDER BY project.project, session;

-- dump_evidence: observations for the dump
SELECT project.project, session.session, mark.file, start, "end", key, evidence.at, kind, role, tool, text
FROM evidence JOIN session ON session.no = evidence.session_no JOIN project ON project.no = session.project_no
JOIN mark ON mark.no = evidence.mark_no ORDER BY project.project, session.session, mark.file, start;

-- dump_words: the vocabulary for the dump
SELECT project.project, text, texts FROM word JOIN project ON project.no = word.project_no
ORDER BY project.project, text;

-- dump_page_terms: what the full-text table of pages holds
SELECT term, col, doc, cnt FROM page_terms ORDER BY term, col;

-- dump_evidence_terms: what the full-text table of evidence holds
SELECT term, col, doc, cnt FROM evidence_terms ORDER BY term, col;

-- scrub_pages: rewrite the full-text table of pages without what was deleted
INSERT INTO page_words (page_words) VALUES ('optimize');

-- scrub_evidence: rewrite the full-text table of evidence without what was deleted
INSERT INTO evidence_words (evidence_words) VALUES ('optimize');

-- scrub_words: rewrite the vocabulary's table without what was deleted
INSERT INTO word_parts (word_parts) VALUES ('optimize');

-- version_ids: the ids of every version of a project
SELECT version FROM version WHERE project_no = ?;
