-- workspace_by_name: the workspace of a name
SELECT id, name FROM workspace WHERE name = :name;

-- workspace_add: a new workspace
INSERT INTO workspace (id, name, created) VALUES (:id, :name, :at) ON CONFLICT DO NOTHING;

-- project_add: a new project
INSERT INTO project (id, workspace, name, created) VALUES (:id, :workspace, :name, :at) ON CONFLICT DO NOTHING;

-- project_all: every project with its workspace
SELECT p.id, p.name, p.workspace, w.name AS workspace_name, p.created FROM project p JOIN workspace w ON w.id = p.workspace ORDER BY w.name, p.name;

-- project_by_id: one project
SELECT p.id, p.name, p.workspace, w.name AS workspace_name, p.created FROM project p JOIN workspace w ON w.id = p.workspace WHERE p.id = :id;

-- project_by_name: the project of a name in a workspace
SELECT p.id, p.name, p.workspace, w.name AS workspace_name, p.created FROM project p JOIN workspace w ON w.id = p.workspace
WHERE w.name = :workspace AND p.name = :name;

-- identity_project: the project an identity is bound to
SELECT project FROM identity WHERE identity = :identity;

-- identity_of: the identities of a project
SELECT identity, how FROM identity WHERE project = :project ORDER BY identity;

-- identity_bind: bind an identity to a project, once
INSERT INTO identity (identity, project, how, at) VALUES (:identity, :project, :how, :at) ON CONFLICT DO NOTHING;

-- identity_rebind: bind an identity to a project a person agreed to
INSERT INTO identity (identity, project, how, at) VALUES (:identity, :project, :how, :at)
ON CONFLICT (identity) DO UPDATE SET project = excluded.project, how = excluded.how, at = excluded.at;

-- key_add: remember an idempotency key from now on, whenever its event says it happened; no row means it was there
INSERT INTO key (session, key, at) VALUES (:session, :key, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) ON CONFLICT DO NOTHING;

-- key_expire: forget old keys
DELETE FROM key WHERE at < :before;

-- session_get: one session
SELECT * FROM session WHERE id = :id;

-- session_open: a session's row, if it is new
INSERT INTO session (id, workspace, project, agent, native, file, started, last, cwd, branch, machine)
VALUES (:id, :workspace, :project, :agent, :native, :file, :started, :started, :cwd, :branch, :machine) ON CONFLICT DO NOTHING;

-- session_grow: count what a batch added; news after the end opens it again
UPDATE session SET lines = lines + :lines, bytes = :bytes, last = max(last, :last), acted = max(acted, :acted),
  ending = CASE WHEN :ending THEN 1 WHEN :news AND :last > ended THEN 0 ELSE ending END,
  reason = CASE WHEN :ending THEN :reason ELSE reason END,
  ended = CASE WHEN :news AND ended <> '' AND :last > ended THEN '' ELSE ended END
WHERE id = :id;

-- session_close: stamp the end, if nothing came since it was read
UPDATE session SET ended = :ended, ending = 0, covered = :lines, page = :page, reason = CASE WHEN reason = '' THEN :reason ELSE reason END
WHERE id = :id AND lines = :lines;

-- session_ending: sessions whose end was seen and not yet written up
SELECT * FROM session WHERE ending = 1 OR (ended <> '' AND covered < lines) ORDER BY last;

-- session_idle: open sessions without an event since
SELECT * FROM session WHERE ended = '' AND last < :before ORDER BY last LIMIT 100;

-- session_recent: the newest sessions of a project
SELECT * FROM session WHERE project = :project ORDER BY last DESC LIMIT :limit;

-- session_open_of: the open sessions of a project
SELECT * FROM session WHERE project = :project AND ended = '' ORDER BY last DESC;

-- session_all: every session, for start-up
SELECT id, file, bytes FROM session;

-- session_by_prefix: sessions whose id or native id begins so
SELECT * FROM session WHERE project = :project AND (substr(id, 1, length(:prefix)) = :prefix OR substr(native, 1, length(:prefix)) = :prefix) ORDER BY last DESC LIMIT 2;

-- session_counts: sessions and lines of a project
SELECT count(*) AS sessions, coalesce(sum(lines), 0) AS lines, coalesce(sum(ended = ''), 0) AS open, max(last) AS last FROM session WHERE project = :project;

-- session_totals: sessions and lines of the store
SELECT count(*) AS sessions, coalesce(sum(lines), 0) AS lines, coalesce(sum(ended = ''), 0) AS open FROM session;

-- baton_add: a new baton
INSERT INTO baton (id, workspace, project, state, origin, session, agent, owner, cwd, branch, to_agent, to_branch, to_worktree, created, expires, claimed_by, claimed_at, body)
VALUES (:id, :workspace, :project, :state, :origin, :session, :agent, :owner, :cwd, :branch, :to_agent, :to_branch, :to_worktree, :created, :expires, :claimed_by, :claimed_at, :body)
ON CONFLICT DO NOTHING;

-- baton_get: one baton
SELECT * FROM baton WHERE id = :id;

-- baton_open: the open batons of a project
SELECT * FROM baton WHERE project = :project AND state = 'open' ORDER BY created DESC;

-- baton_recent: batons of a project in any state
SELECT * FROM baton WHERE project = :project ORDER BY created DESC LIMIT :limit;

-- baton_claim: take it, if it is still open and not one's own
UPDATE baton SET state = 'claimed', claimed_by = :session, claimed_at = :at WHERE id = :id AND state = 'open' AND expires > :at AND session <> :session;

-- baton_cancel: withdraw an open baton
UPDATE baton SET state = 'cancelled' WHERE id = :id AND state = 'open';

-- baton_return: give back what a session claimed and did not use
UPDATE baton SET state = 'open', claimed_by = '', claimed_at = '' WHERE id = :id AND state = 'claimed' AND claimed_by = :session;

-- baton_claimed_by: what a session holds
SELECT * FROM baton WHERE claimed_by = :session AND state = 'claimed';

-- baton_supersede: an older rule-made baton of the same session
UPDATE baton SET state = 'expired' WHERE session = :session AND origin = 'session-end' AND state = 'open' AND id <> :id;

-- baton_settle: older rule-made batons of the same place, once a newer one is claimed
UPDATE baton SET state = 'expired' WHERE project = :project AND cwd = :cwd AND origin = 'session-end' AND state = 'open' AND created < :created;

-- baton_expire: batons past their time
UPDATE baton SET state = 'expired' WHERE state = 'open' AND expires <= :at;

-- baton_count: open batons of a project
SELECT count(*) AS open FROM baton WHERE project = :project AND state = 'open' AND expires > :at;

-- offer_add: a session was shown a baton
INSERT INTO offer (session, baton, at) VALUES (:session, :baton, :at) ON CONFLICT DO NOTHING;

-- offer_of: what a session was shown
SELECT o.baton, o.told, b.state, b.claimed_by FROM offer o JOIN baton b ON b.id = o.baton WHERE o.session = :session ORDER BY o.at DESC;

-- offer_tell: the session knows how it ended
UPDATE offer SET told = 1 WHERE session = :session AND baton = :baton;

-- audit_add: who did what
INSERT INTO audit (at, actor, verb, project, target) VALUES (:at, :actor, :verb, :project, :target);

-- offer_waiting: sessions whose offer is not settled
SELECT DISTINCT o.session FROM offer o JOIN baton b ON b.id = o.baton WHERE o.told = 0 AND b.state = 'open';

-- unsettled_add: bytes of an evidence file that may not have reached the disk
INSERT INTO unsettled (file, start, data) VALUES (:file, :start, :data);

-- unsettled_all: what may not have reached the disk, in order
SELECT file, start, data FROM unsettled ORDER BY seq;

-- unsettled_clear: forget what has reached the disk
DELETE FROM unsettled WHERE seq <= :seq;
