"""Which project a session belongs to, on one machine and on several."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_memory.domain import scope
from ai_memory.domain.scope import Facts, Known, Marker, Resolution
from ai_memory.errors import Invalid

HOME = "/home/ana"
REPO = Facts(
    machine="m1",
    cwd="/home/ana/api/src",
    home=HOME,
    root="/home/ana/api",
    root_name="api",
    branch="main",
    remotes=(("origin", "github.com/acme/api"),),
    root_commit="a" * 40,
)
PLAIN = Facts(machine="m1", cwd="/home/ana/notes", home=HOME)


def resolve(facts: Facts | None, *known: Known, workspace: str = "", project: str = "") -> Resolution:
    by_identity = {key: one for one in known for key in one.identities}
    by_name = {(one.workspace, one.name): one for one in known}
    return scope.decide(scope.claims(facts, workspace, project), by_identity, by_name)


def made(facts: Facts, *known: Known, id: str = "p1") -> Known:
    """The project that a first write there makes."""
    found = resolve(facts, *known)
    assert found.kind == scope.NEW
    return Known(id, found.name, found.workspace, frozenset(found.bind))


def bound(known: Known, found: Resolution) -> Known:
    return replace(known, identities=known.identities | frozenset(found.bind))


# ---- the ladder ----


def test_an_explicit_project_stands_above_everything() -> None:
    facts = replace(REPO, markers=(Marker("/home/ana/api", project="marked"),))
    found = resolve(facts, workspace="team", project="other")
    assert (found.kind, found.workspace, found.name, found.resolved_by) == ("new", "team", "other", "explicit")
    assert found.bind == ()


def test_an_explicit_project_may_carry_its_workspace() -> None:
    assert scope.claims(None, project="team/api") == scope.claims(None, "team", "api")


def test_an_explicit_project_without_a_workspace_lies_in_the_markers_or_the_default_one() -> None:
    assert scope.claims(None, project="api").workspace == "default"
    marked = replace(REPO, markers=(Marker(HOME, workspace="team"),))
    assert scope.claims(marked, project="api").workspace == "team"


@pytest.mark.parametrize("name", ["My App", "-x", "../x", "a/b/c", "", "É", "x" * 65])
def test_an_explicit_name_that_is_none_is_refused_with_a_suggestion(name: str) -> None:
    with pytest.raises(Invalid):
        scope.claims(None, "team" if not name else "", name)


def test_the_remote_decides_for_a_repository_and_upstream_comes_before_origin() -> None:
    fork = replace(REPO, remotes=(("origin", "github.com/ana/api"), ("upstream", "github.com/acme/api")))
    assert resolve(fork).identity == resolve(REPO).identity == "remote:github.com/acme/api"
    assert resolve(REPO).name == "acme-api"
    assert resolve(REPO).resolved_by == "remote"


def test_a_remote_of_any_other_name_counts_when_it_is_the_only_one() -> None:
    assert resolve(replace(REPO, remotes=(("gitea", "git.example.org/x/y"),))).identity == "remote:git.example.org/x/y"
    several = replace(REPO, remotes=(("a", "git.example.org/x/y"), ("b", "git.example.org/x/z")))
    assert resolve(several).resolved_by == "root-commit"


def test_without_a_remote_the_first_commit_decides_on_every_machine() -> None:
    here = replace(REPO, remotes=())
    there = replace(here, machine="m2", cwd="/srv/x", root="/srv/x", home="/home/bo")
    assert resolve(here).identity == resolve(there).identity == "root:" + "a" * 40
    assert resolve(there, made(here)).kind == "existing"


def test_a_directory_without_git_is_its_own_on_each_machine() -> None:
    assert resolve(PLAIN).identity == "dir:m1:/home/ana/notes"
    assert resolve(replace(PLAIN, machine="m2"), made(PLAIN)).kind == "new"
    assert resolve(PLAIN).name == "notes"


def test_two_directories_of_one_name_never_merge() -> None:
    one, other = replace(PLAIN, cwd="/home/ana/a/app"), replace(PLAIN, cwd="/home/ana/b/app")
    assert resolve(other, made(one)).kind == "new"
    assert resolve(one).name == resolve(other).name == "app"


@pytest.mark.parametrize("place", ["/", HOME, "/home", ""])
def test_slash_and_home_and_what_lies_above_it_are_no_projects(place: str) -> None:
    found = resolve(replace(PLAIN, cwd=place))
    assert found.kind == "none"
    assert "project" in found.note
    assert resolve(replace(REPO, cwd=HOME, root=place)).kind == "none"


def test_no_facts_and_no_machine_name_no_project() -> None:
    assert resolve(None).kind == resolve(Facts()).kind == resolve(replace(PLAIN, machine="")).kind == "none"


def test_a_session_in_an_ancestor_does_not_swallow_what_lies_below() -> None:
    above = made(replace(PLAIN, cwd="/srv/work"))
    below = replace(PLAIN, cwd="/srv/code/notes")
    assert resolve(below, above).kind == "new"
    assert resolve(replace(REPO, root="/srv/code/api", cwd="/srv/code/api"), above).kind == "new"


def test_a_home_that_is_a_repository_claims_nothing_below_it() -> None:
    dotfiles = replace(REPO, root=HOME, root_name="ana", cwd="/home/ana/notes")
    assert resolve(dotfiles).identity == "dir:m1:/home/ana/notes"


def test_worktrees_and_machines_agree_by_the_remote() -> None:
    tree = replace(REPO, worktree="/home/ana/api-fix", cwd="/home/ana/api-fix", branch="fix")
    desktop = replace(REPO, machine="m2", root="/code/api", cwd="/code/api")
    known = made(REPO)
    assert resolve(tree, known).project == resolve(desktop, known).project == "p1"


def test_the_same_path_on_another_forge_is_another_project() -> None:
    known = made(REPO)
    other = resolve(replace(REPO, remotes=(("origin", "gitlab.com/acme/api"),), root="/home/ana/b"), known)
    assert (other.kind, other.name) == ("new", "acme-api")


# ---- a place that grows ----


def test_a_directory_is_recognised_when_it_gets_its_first_commit_and_then_a_remote() -> None:
    place = replace(PLAIN, cwd="/home/ana/api")
    known = made(place)
    unborn = replace(REPO, remotes=(), root_commit="")
    assert resolve(unborn, known).project == "p1"
    born = resolve(replace(REPO, remotes=()), known)
    assert (born.project, born.bind) == ("p1", ("root:" + "a" * 40,))
    known = bound(known, born)
    pushed = resolve(REPO, known)
    assert (pushed.project, pushed.bind) == ("p1", ("remote:github.com/acme/api",))
    assert resolve(replace(REPO, machine="m2", root="/x"), bound(known, pushed)).project == "p1"


def test_another_clone_in_the_same_place_is_not_mistaken_for_the_old_one() -> None:
    old = made(replace(REPO, remotes=()))
    new = replace(REPO, remotes=(("origin", "github.com/other/thing"),), root_commit="b" * 40)
    found = resolve(new, old)
    assert found.kind == "new"
    assert "before" in found.note


def test_a_repository_of_the_same_history_elsewhere_does_not_take_over_a_project() -> None:
    old = made(replace(REPO, remotes=()))
    assert resolve(replace(REPO, root="/home/ana/derived", cwd="/home/ana/derived"), old).kind == "new"


def test_a_directory_is_no_key_of_a_repository_with_a_remote() -> None:
    assert made(REPO).identities == {"remote:github.com/acme/api"}


# ---- markers ----


def inside(**said: str) -> Facts:
    return replace(REPO, markers=(Marker("/home/ana/api", checkout="/home/ana/api", **said),))


def test_a_marker_that_only_captures_is_transparent() -> None:
    near = Marker("/home/ana/api/src", checkout="/home/ana/api")
    far = Marker("/home/ana/api", checkout="/home/ana/api", project="named")
    assert resolve(replace(REPO, markers=(near, far))).name == "named"
    assert resolve(replace(REPO, markers=(near,))).resolved_by == "remote"


def test_the_nearest_marker_wins_without_merging() -> None:
    near = Marker("/home/ana/api", project="near", checkout="/home/ana/api")
    far = Marker(HOME, workspace="team", project="far")
    found = resolve(replace(REPO, markers=(near, far)))
    assert (found.workspace, found.name, found.resolved_by) == ("default", "near", "marker")


def test_a_marker_in_a_checkout_names_a_new_project_bound_to_the_checkout() -> None:
    found = resolve(inside(project="Named Thing"))
    assert (found.kind, found.name, found.bind) == ("new", "named-thing", ("remote:github.com/acme/api",))
    assert resolve(inside(project="named-thing"), made(inside(project="named-thing"))).kind == "existing"


def test_a_marker_in_a_checkout_reaches_another_project_only_after_consent() -> None:
    victim = Known("v", "secrets", "default", frozenset({"remote:github.com/acme/secrets"}))
    found = resolve(inside(project="secrets"), victim)
    assert (found.kind, found.project, found.name, found.resolved_by) == ("new", "", "acme-api", "remote")
    assert found.pending is not None and found.pending.project == "v"
    assert "ai-memory trust-marker" in found.note
    agreed = replace(victim, identities=victim.identities | frozenset(found.consent))
    after = resolve(inside(project="secrets"), agreed)
    assert (after.kind, after.project, after.note, after.pending) == ("existing", "v", "", None)


def test_a_marker_cannot_reach_another_project_by_identity_or_alias_either() -> None:
    victim = Known("v", "secrets", "default", frozenset({"remote:github.com/acme/secrets"}))
    by_identity = resolve(inside(identity="github.com/acme/secrets"), victim)
    alias = replace(REPO, markers=(Marker("/home/ana/api", checkout="/home/ana/api", project="x", aliases=("secrets",)),))
    by_alias = resolve(alias, victim)
    for found in (by_identity, by_alias):
        assert found.project == ""
        assert found.pending is not None and found.pending.project == "v"


def test_a_marker_cannot_take_the_key_of_a_repository_that_is_not_known_yet() -> None:
    assert resolve(inside(identity="github.com/acme/secrets")).bind == ("remote:github.com/acme/api",)


def test_a_marker_that_comes_later_does_not_hide_what_the_checkout_remembers() -> None:
    found = resolve(inside(project="fresh"), made(REPO))
    assert (found.kind, found.project) == ("existing", "p1")
    assert found.pending is not None and (found.pending.project, found.pending.name) == ("", "fresh")


def test_an_alias_keeps_the_memory_of_a_project_under_its_old_name() -> None:
    marker = Marker("/home/ana/api", checkout="/home/ana/api", project="new-name", aliases=("acme-api",))
    found = resolve(replace(REPO, markers=(marker,)), made(REPO))
    assert (found.project, found.pending) == ("p1", None)


def test_a_marker_above_the_checkout_is_the_persons_own() -> None:
    work = Known("w", "work", "team", frozenset())
    marked = replace(REPO, markers=(Marker("/home/ana", workspace="team", project="work"),))
    assert resolve(marked, work).project == "w"
    deeper = replace(REPO, root="/home/ana/code/api", markers=(Marker("/home/ana/work", workspace="team", project="work"),))
    assert resolve(deeper, work).project == "w"


def test_a_marker_above_a_nested_checkout_but_inside_another_needs_consent() -> None:
    victim = Known("v", "secrets", "default", frozenset({"remote:github.com/acme/secrets"}))
    marker = Marker("/home/ana/api", checkout="/home/ana/api", project="secrets")
    nested = replace(REPO, root="/home/ana/api/vendor/lib", remotes=(("origin", "github.com/x/lib"),), markers=(marker,))
    found = resolve(nested, victim)
    assert found.project == "" and found.pending is not None


def test_a_marker_that_came_with_an_archive_needs_consent() -> None:
    victim = Known("v", "secrets", "default", frozenset({"remote:github.com/acme/secrets"}))
    unpacked = replace(PLAIN, cwd="/home/ana/unpacked/src", markers=(Marker("/home/ana/unpacked", project="secrets"),))
    found = resolve(unpacked, victim)
    assert found.pending is not None
    assert found.consent == ("dir:m1:/home/ana/unpacked",)


def test_a_marker_names_one_project_for_all_directories_below_it() -> None:
    marker = Marker("/srv/notes", project="notes")
    one, other = (replace(PLAIN, cwd=f"/srv/notes/{name}", markers=(marker,)) for name in "ab")
    assert resolve(other, made(one)).kind == "existing"


def test_until_consent_a_persons_own_marker_above_still_counts() -> None:
    victim = Known("v", "secrets", "default", frozenset({"remote:github.com/acme/secrets"}))
    markers = (Marker("/home/ana/api", checkout="/home/ana/api", project="secrets"), Marker(HOME, project="mine"))
    found = resolve(replace(REPO, markers=markers), victim)
    assert (found.name, found.resolved_by) == ("mine", "marker")
    assert found.pending is not None


def test_a_marker_with_only_a_workspace_places_new_projects_and_moves_none() -> None:
    marked = inside(workspace="Team")
    assert resolve(marked).workspace == "team"
    found = resolve(marked, made(REPO))
    assert (found.project, found.workspace) == ("p1", "default")
    assert "team" in found.note


def test_repo_root_labels_by_the_directory_and_still_binds_the_remote() -> None:
    found = resolve(inside(strategy="repo-root"))
    assert (found.name, found.identity) == ("api", "remote:github.com/acme/api")


def test_a_server_is_followed_only_from_a_persons_own_marker() -> None:
    assert resolve(inside(server="https://evil.example")).server == ""
    assert "server" in resolve(inside(server="https://evil.example")).note
    own = replace(REPO, markers=(Marker(HOME, server="https://memory.example"),))
    assert resolve(own).server == "https://memory.example"
    assert resolve(own).resolved_by == "remote"


# ---- remotes ----


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Acme/API",
        "https://github.com/acme/api.git",
        "https://github.com/acme/api.git/",
        "https://ana:token@github.com/acme/api.git",
        "https://github.com:443/acme/api",
        "http://www.github.com/acme/api",
        "git@github.com:acme/api.git",
        "github.com:acme/api",
        "git@github.com:/acme/api",
        "ssh://git@github.com/acme/api",
        "ssh://git@github.com:22/acme/api.git",
        "ssh://git@ssh.github.com:443/acme/api.git",
        "git+ssh://git@github.com/acme/api",
        "git://github.com/acme//api.git",
        "git@github.com-work:acme/api.git",
        "  https://github.com/acme/api?x=1#y  ",
        "https://GitHub.com./acme/api",
    ],
)
def test_every_spelling_of_a_remote_is_one_identity(url: str) -> None:
    assert scope.normalise_remote(url) == "github.com/acme/api"


@pytest.mark.parametrize(
    ("url", "identity"),
    [
        ("https://git.example.org/Acme/API.git", "git.example.org/Acme/API"),
        ("git@gitlab.com:group/sub/repo.git", "gitlab.com/group/sub/repo"),
        ("https://dev.azure.com/org/My%20Proj/_git/r", "dev.azure.com/org/my proj/r"),
        ("git@ssh.dev.azure.com:v3/org/My Proj/r", "dev.azure.com/org/my proj/r"),
        ("https://org.visualstudio.com/DefaultCollection/My%20Proj/_git/r", "dev.azure.com/org/my proj/r"),
        ("ssh://git@[2001:db8::1]:2222/x/y", "[2001:db8::1]/x/y"),
        ("git@[2001:db8:0::1]:x/y", "[2001:db8::1]/x/y"),
        ("nas:repo.git", "nas/repo"),
        ("ssh://host/~ana/repo", "host/~ana/repo"),
    ],
)
def test_other_forges_keep_what_tells_repositories_apart(url: str, identity: str) -> None:
    assert scope.normalise_remote(url) == identity


@pytest.mark.parametrize(
    "url",
    [
        "", "/srv/git/api.git", "./api", "../api", "~/api", "api", "file:///srv/git/api", "C:/git/api", "C:\\git\\api",
        "https://localhost:3000/a/b", "http://127.0.0.1/a/b", "git@127.1:a/b", "ssh://[::1]/a/b", "http://0.0.0.0/a",
        "codecommit::us-east-1://profile@repo", "ext::sh -c evil", "https://github.com", "https://github.com/",
        "https://u:pa/ss@github.com/a/b", "git@host:a@b", "https://github.com/../x", "https://github.com/a%2541b",
        "https://github.com/a\nb", "https:///a/b", "x" * 3000 + ":y", "https://github.com/\ud800",
    ],
)  # fmt: skip
def test_what_is_no_remote_address_is_none(url: str) -> None:
    assert scope.normalise_remote(url) == ""


SEGMENT = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,12}", fullmatch=True)
HOST = st.from_regex(r"[a-z]{2,8}\.[a-z]{2,6}", fullmatch=True).filter(lambda host: host != "github.com")


def spellings(host: str, path: str, user: str, secret: str) -> list[str]:
    return [
        f"https://{host}/{path}",
        f"https://{user}:{secret}@{host}/{path}.git",
        f"http://{secret}@{host}:8080/{path}/",
        f"ssh://{user}@{host}:2222/{path}.git",
        f"{user}@{host}:{path}.git",
        f"{host}:{path}",
        f"git://{host.upper()}/{path}",
        f"https://{user}:{secret}@{host}/{path}?token={secret}",
    ]


@given(HOST, st.lists(SEGMENT, min_size=1, max_size=4), SEGMENT, st.from_regex(r"S3CR3T[A-Za-z0-9]{8}", fullmatch=True))
def test_all_spellings_agree_and_no_credential_survives(host: str, path: list[str], user: str, secret: str) -> None:
    found = {scope.normalise_remote(url) for url in spellings(host, "/".join(path), user, secret)}
    assert found == {f"{host}/{'/'.join(path)}"}
    for url in spellings(host, "/".join(path), user, secret):
        machine = replace(REPO, remotes=(("origin", scope.normalise_remote(url)),))
        assert secret not in json.dumps([scope.to_json(machine), str(resolve(machine)), str(scope.claims(machine))])


@given(HOST, HOST, st.lists(SEGMENT, min_size=1, max_size=3))
def test_hosts_never_merge(one: str, other: str, path: list[str]) -> None:
    a, b = (replace(REPO, remotes=(("origin", f"{host}/{'/'.join(path)}"),)) for host in (one, other))
    assert (resolve(b, made(a)).kind == "existing") == (one == other)


@given(st.text(max_size=80))
def test_any_text_is_normalised_without_error_and_once_is_enough(text: str) -> None:
    for url in (text, f"https://{text}", f"https://host/{text}", f"git@host:{text}", f"https://a:{text}@host/x"):
        found = scope.normalise_remote(url)
        assert not found or scope.normalise_remote(f"https://{found}") == found


@given(SEGMENT, SEGMENT, SEGMENT, st.sampled_from(["m1", "m2"]), st.sampled_from(["m1", "m2"]))
def test_directories_of_one_name_never_merge(a: str, b: str, name: str, one: str, other: str) -> None:
    first = replace(PLAIN, machine=one, cwd=f"/srv/{a}/{name}")
    second = replace(PLAIN, machine=other, cwd=f"/srv/{b}/{name}")
    assert (resolve(second, made(first)).kind == "existing") == ((a, one) == (b, other))


# ---- names and facts as JSON ----


@given(st.text(max_size=120))
def test_any_text_gives_a_name_and_a_name_gives_itself(text: str) -> None:
    name = scope.name_from(text)
    assert scope.is_name(name)
    assert scope.name_from(name) == name


def test_names_keep_texts_apart_whose_letters_are_lost() -> None:
    assert scope.name_from("Мой проект") != scope.name_from("Ваш проект")
    assert scope.name_from("日本") != scope.name_from("中国")
    assert scope.name_from("Café API") == "cafe-api"
    assert scope.name_from("x" * 100) != scope.name_from("x" * 101)


PLACE = st.from_regex(r"(/[a-zé0-9._-]{1,8}){1,4}", fullmatch=True).filter(lambda p: "/." not in p)


@given(PLACE, PLACE, st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=40))
def test_facts_survive_json(cwd: str, root: str, text: str) -> None:
    marker = Marker(cwd, text, text, "repo-root", "github.com/a/b", "", (text,), root)
    facts = replace(REPO, cwd=cwd, root=root, root_name=text, branch=text, markers=(marker,))
    assert scope.facts_from_json(json.loads(json.dumps(scope.to_json(facts)))) == facts


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["cwd", "root", "remotes", "markers", "dir", "aliases", "machine", "x"]), inner),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_facts_or_invalid(value: object) -> None:
    try:
        facts = scope.facts_from_json(value)
    except Invalid:
        return
    resolve(facts)


@pytest.mark.parametrize(
    "value",
    [
        [], "x", None, {"cwd": 1}, {"cwd": "relative"}, {"cwd": "/\0"}, {"cwd": "/\ud800"}, {"cwd": "/" + "x" * 5000},
        {"remotes": []}, {"remotes": {"origin": 1}}, {"markers": {}}, {"markers": [1]}, {"markers": [{}]},
        {"markers": [{"dir": "/a"}] * 17}, {"markers": [{"dir": "/a", "aliases": ["x"] * 17}]},
        {"remotes": {str(n): "h/x" for n in range(17)}}, {"root_commit": "xyz"}, {"machine": "a:b"}, {"branch": ["x"]},
    ],
)  # fmt: skip
def test_bad_facts_are_refused(value: object) -> None:
    with pytest.raises(Invalid):
        scope.facts_from_json(value)


def test_facts_from_elsewhere_lose_credentials_and_dots() -> None:
    facts = scope.facts_from_json(
        {"cwd": "/a/../b/./c", "remotes": {"origin": "https://u:hunter2@github.com/A/B.git", "x": "file:///x"}}
    )
    assert facts.cwd == "/b/c"
    assert facts.remotes == (("origin", "github.com/a/b"),)
