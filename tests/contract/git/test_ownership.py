"""Git writes nothing outside of a repository, wherever its files lead."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.errors import OutsideError
from goalkeeper.git.ownership import refuse_foreign_folders
from goalkeeper.git.repository import Git
from goalkeeper.git.trees import Trees
from goalkeeper.git.worktrees import Worktrees
from goalkeeper.loop.landing import join_chain
from tests.contract.git.yards import BRANCH, RUN, Agent, Plot
from tests.contract.loop.landings import landed, trees, working
from tests.contract.witness.repository import Repository
from tests.links import lead_away
from tests.tables import for_each

LOCAL = ("-c", "protocol.file.allow=always")


def link(inside: str, target: str = "outside") -> Callable[[Path], None]:
    """Put a link below the repository, with what was there at its end."""
    return lambda root: lead_away(root / inside, root.parent / target)


def write(inside: str, text: str) -> Callable[[Path], None]:
    def build(root: Path) -> None:
        path = root / inside
        if path.is_dir():
            shutil.rmtree(path)
        path.write_text(text.replace("OTHER", f"{root.parent}/other/.git"))

    return build


def borrow_by_own_entry(root: Path) -> None:
    """An entry that names the folder, and another repository as the shared one."""
    entry = root / "fake/worktrees/x"
    entry.mkdir(parents=True)
    (root / ".git/HEAD").rename(entry / "HEAD")
    (entry / "gitdir").write_text(f"{root}/.git\n")
    write("fake/worktrees/x/commondir", "OTHER\n")(root)
    write(".git", "gitdir: fake/worktrees/x\n")(root)


def borrow_around(root: Path) -> None:
    """A broken repository inside another one."""
    shutil.move(root.parent / "other/.git", root.parent / ".git")
    shutil.rmtree(root / ".git/refs")


def borrow_beside(root: Path) -> None:
    """A broken repository whose worktree looks like a repository without a worktree."""
    (root / ".git/HEAD").rename(root / "HEAD")
    write("commondir", "OTHER\n")(root)


AWAY: dict[str, tuple[Callable[[Path], None], str]] = {
    "git's folder": (link(".git", "elsewhere"), "link-in-git-folder"),
    "worktrees": (link(".git/worktrees"), "link-in-git-folder"),
    "a worktree": (link(".git/worktrees/x"), "link-in-git-folder"),
    "our branches": (link(".git/refs/heads/goalkeeper"), "link-in-git-folder"),
    "a branch like a tool": (link(".git/logs/refs/heads/lfs/x", "file"), "link-in-git-folder"),
    "index": (link(".git/index", "index"), "link-in-git-folder"),
    "objects": (link(".git/objects/00"), "link-in-git-folder"),
    "a commondir": (write(".git/commondir", "OTHER\n"), "odd-git-file"),
    "a file": (write(".git", "gitdir: OTHER\n"), "git-folder-elsewhere"),
    "an odd file": (write(".git", "gitdir: OTHER\0x\n"), "odd-git-file"),
    "an entry": (write(".git", "gitdir: OTHER/worktrees/linked\n"), "git-folder-elsewhere"),
    "an entry of its own": (borrow_by_own_entry, "odd-git-file"),
    "the folder around": (borrow_around, "no-repository"),
    "the folder beside": (borrow_beside, "no-repository"),
}


@pytest.fixture
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's repository with a linked worktree, another one, and a folder."""
    place = tmp_path_factory.mktemp("places")
    other = Repository(place / "other")
    other.commit()
    other.git("worktree", "add", "--quiet", "../linked")
    shutil.copytree(other.root, place / "repository")
    (place / "outside").mkdir()
    (place / "outside/precious").write_text("precious\n")
    return place


@for_each("away", AWAY)
def test_nothing_is_written_where_git_is_led_out_of_the_repository(
    places: Path, tmp_path: Path, away: str
) -> None:
    shutil.copytree(places, tmp_path, dirs_exist_ok=True)
    plot = Plot(tmp_path)
    build, code = AWAY[away]
    build(plot.root)
    before = read_all(tmp_path)

    for act in (
        lambda: plot.worktrees.make_worktree("G001", "HEAD"),
        lambda: plot.worktrees.move_work("G001", "HEAD", lambda *_: ""),
        lambda: plot.worktrees.lend_worktree("review", "HEAD"),
        lambda: plot.worktrees.remove_worktree("G001"),
        lambda: trees(plot).take_snapshot(),
        lambda: trees(plot).user_git,
        lambda: trees(plot).lent_environment,
        lambda: join_chain(trees(plot), [], "HEAD", keep_history=False),
    ):
        with pytest.raises(OutsideError) as refused:
            act()
        assert refused.value.code == code
    assert read_all(tmp_path) == before


def read_all(place: Path) -> dict[str, tuple[int, bytes]]:
    """All files, and when they were written."""
    found = (path for path in place.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in found}


# What users have


def link_worktree(place: Path, base: Repository) -> Path:
    base.git("worktree", "add", "--quiet", "--detach", str(place / "linked"))
    return place / "linked"


def link_worktree_of_a_bare_repository(place: Path, base: Repository) -> Path:
    base.git("clone", "--quiet", "--bare", ".", str(place / "project/.bare"))
    (place / "project/.git").write_text("gitdir: ./.bare\n")
    base.git("-C", str(place / "project"), "worktree", "add", "--quiet", "work")
    return place / "project/work"


def add_submodule(place: Path, base: Repository) -> Path:
    above = Repository(place / "above")
    above.git(*LOCAL, "submodule", "--quiet", "add", str(base.root), "lib")
    return above.root / "lib"


def separate_folder(place: Path, base: Repository) -> Path:
    apart = place / "a part"
    base.git("clone", "--quiet", f"--separate-git-dir={apart}", ".", str(place / "own"))
    with pytest.raises(OutsideError) as refused:
        refuse_foreign_folders(str(place / "own"))
    told = refused.value.hint.split(", if")[0]
    subprocess.run(["sh", "-c", told], check=True)
    return place / "own"


def move_folder_inside(_: Path, base: Repository) -> Path:
    (base.root / ".gitignore").write_text("/.bare\n")
    (base.root / ".git").rename(base.root / ".bare")
    (base.root / ".git").write_text("gitdir: .bare\n")
    return base.root


def link_what_git_only_reads(place: Path, base: Repository) -> Path:
    for inside in ("hooks", "info"):
        shutil.rmtree(base.root / ".git" / inside)
    (base.root / ".git/hooks").symlink_to(place)
    (base.root / ".git/info").mkdir()
    (base.root / ".git/info/exclude").symlink_to(base.root / "file")
    return base.root


@for_each(
    "make",
    [
        link_worktree,
        link_worktree_of_a_bare_repository,
        add_submodule,
        separate_folder,
        move_folder_inside,
        link_what_git_only_reads,
    ],
)
def test_work_goes_on_wherever_git_itself_keeps_its_folder(
    tmp_path: Path, make: Callable[[Path, Repository], Path]
) -> None:
    base = Repository(tmp_path / "base")
    base.write("file", "text\n")
    base.commit()
    root = make(tmp_path, base)
    seen = Trees(str(root), str(tmp_path / "store"))
    worktrees = Worktrees(str(root), str(tmp_path / "yard"), RUN)

    commit = seen.commit_of(seen.take_snapshot())
    agent = Agent(worktrees.make_worktree("G001", commit), worktrees)
    agent.write("file", "work\n")
    agent.end()
    worktrees.remove_worktree("G001")

    assert Git(str(root), {}, ()).ask("show", f"{BRANCH}:file") == "work"
    assert not agent.path.exists()


def test_entries_of_the_users_stay_though_their_folders_are_away(plot: Plot) -> None:
    plot.git("worktree", "add", "--quiet", "--detach", "../on-a-disk")
    shutil.rmtree(plot.root.parent / "on-a-disk")
    agent = plot.settle()
    (agent.path / ".git").unlink()

    plot.worktrees.take_back(str(agent.path))
    shutil.rmtree(plot.settle().path)
    plot.settle()

    assert sorted(path.name for path in (plot.root / ".git/worktrees").iterdir()) == [
        "G001", "on-a-disk"
    ]  # fmt: skip


# Submodules


def put_filter(inner: Repository, mark: Path) -> None:
    """Let the submodule's own configuration run a program when git looks for changes in it."""
    inner.write("file", "one\n")
    inner.commit()
    inner.git("config", "filter.x.clean", f"touch {mark}; cat")
    inner.write(".git/info/attributes", "* filter=x\n")


def test_nothing_runs_that_a_submodule_of_the_agents_names(plot: Plot, tmp_path: Path) -> None:
    agent, mark = plot.settle(), tmp_path / "mark"
    inner = Repository(agent.path / "sub")
    put_filter(inner, mark)
    agent.end()
    inner.write("file", "two\n")

    agent.end()
    assert not mark.exists()
    assert agent.kept(":sub") == inner.git("rev-parse", "HEAD")

    (inner.root / ".git/info/attributes").unlink()
    later = inner.commit()
    agent.end()
    assert agent.kept(":sub") == later

    shutil.rmtree(inner.root / ".git/refs")  # git would take the repository around it
    agent.end()
    assert agent.kept(":sub") == later


def test_landing_again_runs_nothing_that_a_submodule_names(plot: Plot, tmp_path: Path) -> None:
    inner = Repository(plot.root / "sub")
    put_filter(inner, tmp_path / "mark")
    plot.repository.commit()
    agent = working(plot)
    landed(plot, agent, how="commit")
    inner.write("file", "two\n")

    landed(plot, agent, how="already there")

    assert not (tmp_path / "mark").exists()
