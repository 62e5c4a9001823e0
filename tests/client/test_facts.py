"""Facts of real directories and repositories."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from client_twin import git

from ai_memory.client import checkout, machine
from ai_memory.client.facts import Places, header
from ai_memory.domain import scope
from ai_memory.domain.facts import Facts, facts_from_json, to_json

Make = Callable[..., Path]


@pytest.fixture
def places(home: Path) -> Places:
    return Places("m1", str(home))


def test_a_repository_tells_root_name_branch_and_remotes_without_credentials(places: Places, repository: Make) -> None:
    place = repository("api", origin="https://ana:hunter2@github.com/Acme/API.git", local="/srv/x.git")
    (place / "src").mkdir()
    facts = places.facts(str(place / "src"))
    assert (facts.root, facts.root_name, facts.branch, facts.worktree) == (str(place), "api", "main", "")
    assert facts.remotes == (("origin", "github.com/acme/api"),)
    assert facts.cwd == str(place / "src")
    assert facts.machine == "m1"
    assert "hunter2" not in str(facts)


def test_the_first_commit_is_the_same_on_every_branch_and_after_more_commits(places: Places, repository: Make) -> None:
    place = repository("api")
    first = git(place, "rev-parse", "HEAD")
    assert places.facts(str(place)).root_commit == first
    git(place, "commit", "-qm", "more", "--allow-empty")
    git(place, "checkout", "-q", "--orphan", "pages")
    git(place, "commit", "-qm", "other root", "--allow-empty", date="2026-02-01T00:00:00Z")
    fresh = Places("m1", str(place.parent))
    assert fresh.facts(str(place)).root_commit == first
    assert fresh.facts(str(place)).branch == "pages"


def test_two_clones_of_one_history_without_remotes_are_one_project(places: Places, repository: Make) -> None:
    place = repository("api")
    git(place.parent, "clone", "-q", str(place), "copy")
    copy = place.parent / "copy"
    one, other = places.facts(str(place)), places.facts(str(copy))
    assert other.remotes == ()
    assert scope.claims(one).identity == scope.claims(other).identity == f"root:{one.root_commit}"


def test_a_repository_without_a_commit_has_no_root_commit_until_it_has_one(home: Path, repository: Make) -> None:
    place = repository("api", commit="")
    assert Places("m1", str(home)).facts(str(place)).root_commit == ""
    git(place, "commit", "-qm", "x", "--allow-empty")
    assert Places("m1", str(home)).facts(str(place)).root_commit


def test_a_shallow_clone_has_no_root_commit(places: Places, repository: Make) -> None:
    place = repository("api")
    git(place, "commit", "-qm", "x", "--allow-empty")
    git(place.parent, "clone", "-q", "--depth=1", f"file://{place}", "thin")
    assert places.facts(str(place.parent / "thin")).root_commit == ""


def test_a_linked_worktree_shares_the_root_of_the_main_checkout(places: Places, repository: Make) -> None:
    place = repository("api", origin="git@github.com:acme/api.git")
    git(place, "worktree", "add", "-q", "-b", "fix", "../api-fix")
    facts = places.facts(str(place.parent / "api-fix"))
    assert (facts.root, facts.root_name, facts.branch) == (str(place), "api", "fix")
    assert facts.worktree == str(place.parent / "api-fix")
    assert facts.remotes == (("origin", "github.com/acme/api"),)
    assert facts.root_commit == places.facts(str(place)).root_commit


def test_worktrees_of_a_bare_repository_agree(places: Places, repository: Make) -> None:
    place = repository("seed")
    top = place.parent / "api"
    top.mkdir()
    git(top, "clone", "-q", "--bare", str(place), ".bare")
    git(top / ".bare", "remote", "remove", "origin")
    git(top / ".bare", "worktree", "add", "-q", "../one", "main")
    git(top / ".bare", "worktree", "add", "-q", "-b", "x", "../two", "main")
    one, two = places.facts(str(top / "one")), places.facts(str(top / "two"))
    assert one.root == two.root == str(top / ".bare")
    assert one.root_name == "api"
    assert scope.claims(one).identities == scope.claims(two).identities


def test_a_bare_repository_is_a_place_of_its_own(places: Places, repository: Make) -> None:
    place = repository("seed")
    git(place.parent, "clone", "-q", "--bare", str(place), "api.git")
    facts = places.facts(str(place.parent / "api.git"))
    assert (facts.root, facts.root_name, facts.branch) == (str(place.parent / "api.git"), "api", "main")


def test_a_submodule_belongs_to_itself(places: Places, repository: Make) -> None:
    lib, place = repository("lib", "lib"), repository("api", origin="git@github.com:acme/api.git")
    git(place, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib), "vendor/lib")
    sub = place / "vendor" / "lib"
    git(sub, "remote", "set-url", "origin", "https://github.com/acme/lib")
    facts = places.facts(str(sub))
    assert (facts.root, facts.worktree) == (str(sub), "")
    assert facts.remotes == (("origin", "github.com/acme/lib"),)


def test_a_git_file_that_leads_nowhere_is_still_a_checkout(places: Places, home: Path) -> None:
    place = home / "x"
    place.mkdir()
    (place / ".git").write_text("gitdir: /nowhere/at/all\n", encoding="utf-8")
    facts = places.facts(str(place))
    assert (facts.root, facts.remotes, facts.root_commit, facts.branch) == (str(place), (), "", "")


def test_a_detached_head_names_no_branch(places: Places, repository: Make) -> None:
    place = repository("api")
    git(place, "checkout", "-q", "--detach")
    assert places.facts(str(place)).branch == ""


def test_markers_count_from_the_directory_up_to_home(places: Places, home: Path, repository: Make) -> None:
    place = repository("work/api")
    (place / "src").mkdir()
    for folder, name in ((place / "src", "near"), (place, "root"), (home / "work", "work"), (home, "home")):
        (folder / ".ai-memory.toml").write_text(f'project = "{name}"\n', encoding="utf-8")
    (home.parent / ".ai-memory.toml").write_text('project = "above"\n', encoding="utf-8")
    facts = places.facts(str(place / "src"))
    assert [m.project for m in facts.markers] == ["near", "root", "work", "home"]
    assert [m.checkout for m in facts.markers] == [str(place), str(place), "", ""]


def test_outside_home_markers_stop_at_the_checkout_and_without_one_right_there(tmp_path: Path, repository: Make) -> None:
    place = repository("api")
    (place / "src").mkdir()
    for folder in (place, place.parent, place / "src"):
        (folder / ".ai-memory.toml").write_text('project = "x"\n', encoding="utf-8")
    away = Places("m1", str(tmp_path / "elsewhere"))
    assert [m.dir for m in away.facts(str(place / "src")).markers] == [str(place / "src"), str(place)]
    loose = tmp_path / "loose" / "deep"
    loose.mkdir(parents=True)
    (tmp_path / "loose" / ".ai-memory.toml").write_text('project = "x"\n', encoding="utf-8")
    assert away.facts(str(loose)).markers == ()


def test_a_marker_is_read_whole_and_what_does_not_fit_is_left_out(places: Places, home: Path) -> None:
    place = home / "x"
    place.mkdir()
    (place / ".ai-memory.toml").write_text(
        'workspace = "team"\nproject = 7\nproject_strategy = "repo-root"\nidentity = "github.com/a/b"\n'
        'aliases = ["one", 2, "' + "x" * 200 + '"]\nserver = "https://memory.example"\n[capture]\nignore_paths = ["a"]\n',
        encoding="utf-8",
    )
    (marker,) = places.facts(str(place)).markers
    assert (marker.workspace, marker.project, marker.strategy, marker.identity) == ("team", "", "repo-root", "github.com/a/b")
    assert marker.aliases == ("one",)
    assert marker.server == "https://memory.example"


@pytest.mark.parametrize("bad", [b"project = ", b"\xff\xfe", b"x = 1\n" * 20_000, b"a=" + b"[" * 5_000])
def test_a_marker_that_cannot_be_read_says_nothing(places: Places, home: Path, bad: bytes) -> None:
    place = home / "x"
    place.mkdir()
    (place / ".ai-memory.toml").write_bytes(bad)
    assert places.facts(str(place)).markers == ()


def test_a_pipe_in_place_of_a_marker_is_not_waited_for(places: Places, home: Path) -> None:
    place = home / "x"
    place.mkdir()
    os.mkfifo(place / ".ai-memory.toml")
    assert places.facts(str(place)).markers == ()


def test_what_changes_is_seen_by_the_next_call(places: Places, repository: Make) -> None:
    place = repository("api", origin="git@github.com:acme/api.git")
    before = places.facts(str(place))
    git(place, "checkout", "-q", "-b", "other")
    assert places.facts(str(place)).branch == "other"
    (place / ".ai-memory.toml").write_text('project = "named"\n', encoding="utf-8")
    assert places.facts(str(place)).markers[0].project == "named"
    git(place, "remote", "set-url", "origin", "git@github.com:acme/moved.git")
    assert places.facts(str(place)).remote == "github.com/acme/moved"
    assert before.branch == "main"


def test_a_directory_that_becomes_a_repository_is_seen(places: Places, home: Path) -> None:
    place = home / "x"
    place.mkdir()
    assert places.facts(str(place)).root == ""
    git(place, "init", "-q")
    assert places.facts(str(place)).root == str(place)


def test_a_known_directory_costs_next_to_nothing(places: Places, repository: Make) -> None:
    place = repository("api", origin="git@github.com:acme/api.git")
    places.facts(str(place))
    start = time.process_time()
    for _ in range(200):
        places.facts(str(place))
    assert (time.process_time() - start) / 200 < 0.002


def test_with_brief_git_runs_only_where_there_is_no_remote(home: Path, repository: Make) -> None:
    brief = Places("m1", str(home), brief=True)
    assert brief.facts(str(repository("a", origin="git@github.com:acme/a.git"))).root_commit == ""
    assert brief.facts(str(repository("b"))).root_commit != ""


def test_a_directory_that_is_gone_or_absurd_gives_what_can_be_said(places: Places, home: Path) -> None:
    gone = places.facts(str(home / "gone" / "deep"))
    assert (gone.cwd, gone.root) == (str(home / "gone" / "deep"), "")
    for odd in ("", "relative", "/\0", "/" + "x" * 5000):
        assert places.facts(odd) == Facts(machine="m1", home=str(home))


@pytest.mark.skipif(os.getuid() == 0, reason="root reads everything")
def test_a_directory_that_cannot_be_read_is_no_error(places: Places, repository: Make) -> None:
    place = repository("api")
    place.chmod(0)
    try:
        assert places.facts(str(place / "src")).cwd == str(place / "src")
    finally:
        place.chmod(0o700)


def test_links_are_followed_so_that_one_directory_is_one(places: Places, home: Path, repository: Make) -> None:
    place = repository("api")
    (home / "link").symlink_to(place)
    assert places.facts(str(home / "link")) == places.facts(str(place))


def test_odd_names_stay_apart_and_survive_json(places: Places, home: Path) -> None:
    seen = set()
    for raw in (b"\xff", b"\xfe", b"new\nline", "é".encode()):
        place = os.fsencode(home) + b"/" + raw
        os.mkdir(place)
        facts = places.facts(os.fsdecode(place))
        assert facts_from_json(to_json(facts)) == facts
        assert header(facts).isascii()
        seen.add(facts.cwd)
    assert len(seen) == 4


def test_git_config_is_read_as_git_reads_it() -> None:
    config = (
        '[core]\n\tbare = false\n[remote "a b\\"c"]\n\turl = "https://x.org/a;b" # note\n'
        "[remote \"two\"] URL = git@x.org:a/b\n  url = ignored\n[branch \"m\"]\n url = not-this\n"
        '[remote "long"]\n url = https://x.org/\\\n  a/b\n[remote "none"]\n fetch = x\n'
    )
    assert checkout.urls(config) == {
        'a b"c': "https://x.org/a;b",
        "two": "git@x.org:a/b",
        "long": "https://x.org/  a/b",
    }


def test_a_machine_keeps_its_id_and_two_processes_agree_on_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    first = machine.id(data)
    assert len(first) == 32 and machine.id(data) == first
    assert (data / "machine-id").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in data.iterdir()] == ["machine-id"]
    assert machine.id(tmp_path / "other") != first


def test_a_data_directory_that_cannot_be_written_gives_no_machine_id(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert machine.id(tmp_path / "file") == ""
