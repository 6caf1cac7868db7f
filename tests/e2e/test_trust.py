"""Settings and state that somebody else wrote count when a human has confirmed them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.holds import Held
from tests.e2e.project import Project, contract
from tests.e2e.world import COMMAND, World
from tests.tables import for_each

LAX = """\
[witness]
isolation = "checkout"
env = ["AWS_SECRET_ACCESS_KEY"]
setup = [["touch", "@MARK@"]]
timeout = 7200
"""
AGENT = {"CLAUDECODE": "1"}


class Clone(Project):
    """Somebody else's repository; nobody has confirmed anything of it."""

    trusts = False

    def __init__(self, place: Path, config: str = LAX) -> None:
        self.mark = place / "mark"
        files = {"product.txt": "broken\n", ".goalkeeper/config.toml": self.fill(config)}
        super().__init__(place, files)

    def fill(self, text: str) -> str:
        return text.replace("@MARK@", str(self.mark))

    def judge_level(self, **env: str) -> str:
        """At which level checks run."""
        answer = self.run("judge", "--no-cache", "--json", env=env)
        assert "error" not in answer.json, answer
        level: str = answer.json["isolation"]
        return level


@pytest.mark.needs("bwrap")
def test_settings_of_a_clone_count_when_a_human_has_confirmed_them(tmp_path: Path) -> None:
    """H2: a committed config.toml was obeyed, with the user's secrets and without a sandbox."""
    clone = Clone(tmp_path)
    clone.run("create-goals", "--gate", "standard", "--brief", brief())
    clone.run("complete-goals")

    told = clone.run("judge", "--json")
    assert told.json["isolation"] == "sandbox"
    assert not clone.mark.exists()
    (warning,) = told.json["warnings"]
    assert told.err == f"goalkeeper: warning: {warning}\n"
    parts = ("witness.isolation", "witness.env", "witness.setup", "goalkeeper trust")
    for part in (*parts, "in CI GOALKEEPER_TRUST"):
        assert part in warning

    shown = clone.run("trust", "--show")
    assert f"touch {clone.mark}" in shown.out
    assert "AWS_SECRET_ACCESS_KEY" in shown.out
    digest = clone.run("trust", "--show", "--json").json["digest"]
    assert clone.judge_level(GOALKEEPER_TRUST=digest, **AGENT) == "sandbox"
    other = clone.run("judge", "--json", env={"GOALKEEPER_TRUST": "0" * 64})
    assert other.json["isolation"] == "sandbox"
    assert (
        f"GOALKEEPER_TRUST names another digest than that of these settings, {digest}"
        in (other.json["warnings"])
    )
    assert not clone.mark.exists()
    assert clone.judge_level(GOALKEEPER_TRUST=digest) == "checkout"
    assert clone.mark.exists()

    assert clone.run("trust", "--yes", "--json").reason == "trust-needs-human"
    assert clone.run("trust", "--json", env=clone.human()).reason == "declined"
    clone.ok("trust", "--yes", env=clone.human())
    assert clone.judge_level() == "checkout"
    assert clone.judge_level(**AGENT) == "checkout"

    assert clone.run("trust", "--remove", "--json").reason == "trust-needs-human"
    assert clone.ok("trust", "--remove", env=clone.human())["removed"] is True
    assert clone.judge_level() == "sandbox"


@pytest.mark.needs("bwrap")
def test_without_a_sandbox_untrusted_settings_are_refused_and_trust_is_named(
    tmp_path: Path,
) -> None:
    """On a machine without bubblewrap, which bubblewrap makes of this one."""
    clone = Clone(tmp_path)
    clone.run("create-goals", "--gate", "standard", "--brief", brief())
    clone.run("complete-goals")
    without = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", shutil.which("bwrap"))

    done = subprocess.run(
        [*map(str, without), COMMAND, "judge", "--json"],
        cwd=clone.root, env=clone.environ(), capture_output=True, check=False,
    )  # fmt: skip

    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (5, "isolation-unavailable")
    assert error["hint"].startswith("goalkeeper trust")


NEEDS_SET_UP = """\
[witness]
fetch = [["sh", "-c", "true"]]
setup = [["sh", "prepare.sh"]]
"""


@pytest.mark.needs("bwrap")
def test_what_fails_without_the_set_up_that_nobody_trusts_is_unknown(tmp_path: Path) -> None:
    clone = Clone(tmp_path, NEEDS_SET_UP)
    clone.write({"prepare.sh": "touch made\n"})
    clone.commit("set-up")
    clone.run("create-goals", "--gate", "standard", "--brief", brief("made"))
    clone.run("complete-goals")
    clone.write({"product.txt": "mended\n"})

    judged = clone.run("judge", "--json").json
    (seen,) = judged["criteria"]

    assert (seen["verdict"], judged["verdict"]) == ("unknown", "UNKNOWN")
    assert "witness.setup" in seen["reason"]
    assert "sh prepare.sh  (witness.setup)" in clone.run("trust", "--show").out
    clone.ok("trust", "--yes", env=clone.human())
    (seen,) = clone.run("judge", "--no-cache", "--json").json["criteria"]
    assert (seen["verdict"], seen["reason"]) == ("passed", "exit 0")


def brief(file: str = "x") -> str:
    fenced = '{"criteria": [{"id": "C1", "text": "it", "check": {"command": ["test", "-f", "@"]}}]}'
    return f"@goal: Mend it\nMend it.\n```contract\n{fenced.replace('@', file)}\n```\n"


def test_a_human_at_a_terminal_is_shown_what_would_run_and_asked(tmp_path: Path) -> None:
    clone = Clone(tmp_path)

    no = clone.on_terminal("trust", keys=b"\n")
    yes = clone.on_terminal("trust", keys=b"y\n")

    assert (no.code, yes.code) == (1, 0)
    assert f"touch {clone.mark}" in no.err
    assert f"touch {clone.mark}" in yes.err
    assert "raises a limit above 3600: 7200  (witness.timeout)" in yes.err
    assert yes.out == "y\nIt is trusted from now on.\n"
    assert clone.ok("trust", "--show")["trusted"] is True


def test_init_trusts_nothing_that_it_finds_and_writes_nothing_that_needs_trust(
    tmp_path: Path,
) -> None:
    clone = Clone(tmp_path)
    told = clone.run("init", "--yes", "--json", env=clone.human())
    assert "is not trusted" in told.json["warnings"][0]

    (clone.state / "config.toml").unlink()
    clone.write({"Makefile": "test:\n\ttrue\n"})
    clone.ok("init", "--yes")
    assert clone.ok("trust", "--show")["parts"] == {}


def forge_state(clone: World) -> None:
    """State with a run, as an archive has it."""
    maker = Project(clone.root.parent / "maker").begin(contract())
    shutil.copytree(maker.state, clone.state, dirs_exist_ok=True)


LOOKS = (
    "status", "why G001", "report", "ulw status", "ledger verify", "judge",
    "state repair", "complete-goals", "create-goals --brief x", "init --yes", "land",
)  # fmt: skip


def test_state_that_came_with_an_archive_is_not_used_until_a_human_takes_it_over(
    tmp_path: Path,
) -> None:
    """H2: forced-in state was taken for the user's live run."""
    clone = Clone(tmp_path, LAX)
    forge_state(clone)

    for words in LOOKS:
        answer = clone.run(*words.split(), "--json")
        assert (answer.code, answer.reason) == (3, "state-foreign"), words
        assert "goalkeeper trust --state" in answer.hint
    (problem,) = clone.run("state", "doctor", "--json").json["findings"]
    assert problem["code"] == "state-foreign"
    assert clone.run("doctor").code == 0
    assert clone.run("receipt", "verify", "--json").code == 1
    (run_id,) = (path.name for path in clone.state.glob("runs/2*"))
    assert clone.run("trust", "--state", "--yes", "--json").reason == "trust-needs-human"
    shown = clone.run("trust", "--state", "--json", env=clone.human())
    assert shown.json["error"]["facts"] == {"runs": [run_id]}

    taken = clone.run("trust", "--state", "--yes", env=clone.human())
    assert run_id in taken.out
    assert "next: goalkeeper trust\n" in taken.out
    assert clone.ok("status")["run_id"] == run_id
    assert clone.ok("trust", "--state", "--yes", env=clone.human())["taken_over"] is False


def test_state_of_ours_is_not_used_elsewhere(tmp_path: Path) -> None:
    planned = Project(tmp_path).begin(contract())
    moved = tmp_path / "moved"
    planned.root.rename(moved)

    assert planned.run("status", "--json", cwd=moved).reason == "state-foreign"

    moved.rename(planned.root)
    planned.ok("status")


INDEXES = {
    "usual": (),
    "short paths": (("update-index", "--index-version", "4"),),
    "more flags": (("update-index", "--skip-worktree", ".goalkeeper/current"),),
    "in parts": (("config", "core.splitIndex", "true"), ("update-index", "--split-index")),
}


@for_each("index", INDEXES)
@for_each("form", ["sha1", "sha256"])
def test_state_that_git_tracks_is_refused_also_if_it_was_made_here(
    index: str, form: str, tmp_path: Path
) -> None:
    """H2: a pull writes over files that git ignores, and so brings a run of somebody else."""
    planned = Project(tmp_path)
    shutil.rmtree(planned.root / ".git")
    planned.git("init", "--quiet", f"--object-format={form}", "--template=")
    planned.write({".github/workflows/ci.yml": "", ".goal": "", "zoo": ""})
    planned.commit("base")
    planned.begin(contract())
    planned.ok("status")

    planned.git("add", "--force", ".goalkeeper/current", ".goalkeeper/runs")
    for words in INDEXES[index]:
        planned.git(*words)
    answer = planned.run("status", "--json")

    assert (answer.code, answer.reason) == (3, "state-tracked")
    assert "git rm -r --cached .goalkeeper/current" in answer.hint
    assert planned.run("trust", "--state", "--json", env=planned.human()).reason == "state-tracked"
    planned.git("rm", "-rq", "--sparse", "--cached", ".goalkeeper/current", ".goalkeeper/runs")
    planned.ok("status")


def test_a_submodule_in_the_place_of_the_state_is_state_that_git_tracks(tmp_path: Path) -> None:
    """The index names the folder alone, and its commits bring runs of somebody else."""
    planned = Project(tmp_path).begin(contract())
    head = planned.git("rev-parse", "HEAD").strip()
    planned.write({".goalkeeper-too": ""})
    planned.git("add", ".goalkeeper-too")
    planned.ok("status")

    planned.git("update-index", "--add", "--cacheinfo", f"160000,{head},.goalkeeper")
    plain = planned.run("status", "--json")
    planned.git("update-index", "--split-index")
    split = planned.run("status", "--json")
    planned.git("update-index", "--no-split-index")
    index = planned.root / ".git/index"
    index.rename(planned.root / ".git/i")
    index.symlink_to("i")
    linked = planned.run("status", "--json")
    (planned.root / ".git").rename(planned.root / "g")
    planned.write({"told": "gitdir: g\n"})
    (planned.root / ".git").symlink_to("told")
    led = planned.run("status", "--json")

    assert [each.reason for each in (plain, split, linked, led)] == ["state-tracked"] * 4
    assert "git rm -r --cached .goalkeeper," in plain.hint


def test_hooks_are_silent_about_state_of_strangers(tmp_path: Path) -> None:
    held = Held(tmp_path)
    forge_state(held)

    said = [
        held.hook("claude", "PreToolUse", tool_name="AskUserQuestion", tool_input={}),
        held.hook("claude", "SessionStart", source="resume"),
        held.hook("claude", "Stop"),
    ]
    told = held.prompt("ulw fix the bug")
    held.settle()

    assert [each.out for each in said] == ["", "", ""]
    assert "goalkeeper trust --state" in told.notice


@pytest.mark.needs("bwrap")
def test_a_session_is_held_by_the_safe_settings_and_its_user_is_told(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    makefile = {"Makefile": "test:\n\tfalse\n"}
    held = Held(tmp_path, "protect = false", verify=f'[["touch", "{mark}"]]', files=makefile)
    held.trusts = False

    told = held.prompt("ulw fix the bug")
    held.settle()

    assert "make test" in told.notice
    assert ".goalkeeper/config.toml is not trusted" in told.notice
    assert not mark.exists()


FILTER = '[filter "evil"]\n\tclean = touch @MARK@; cat\n\trequired = true\n'


def test_filters_of_an_archives_git_configuration_run_when_they_are_confirmed(
    tmp_path: Path,
) -> None:
    clone = Clone(tmp_path, "")
    clone.write({".gitattributes": "* filter=evil\n", "product.txt": "changed\n"})
    with (clone.root / ".git/config").open("a") as config:
        config.write(clone.fill(FILTER).replace("touch", '"touch').replace("cat\n", 'cat"\n'))

    told = clone.run("create-goals", "--brief", brief(), "--json")
    assert not clone.mark.exists()
    assert any("git configuration is not trusted" in each for each in told.json["warnings"])

    assert "touch" in clone.run("trust", "--show").out
    clone.ok("trust", "--yes", env=clone.human())
    clone.ok("complete-goals")
    clone.run("judge")
    assert clone.mark.exists()
