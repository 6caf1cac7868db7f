"""Files of the state directory are opened in one place, which follows no link."""

import ast
from pathlib import Path

from tests.tables import for_each

HOUSE = Path(__file__).parents[2] / "src" / "goalkeeper"
OPENING = {
    "open", "os.open", "os.mkdir", "os.makedirs", "os.rename", "os.replace", "os.unlink",
    "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "shutil.copy",
    "shutil.copytree", "shutil.move", "shutil.rmtree",
}  # fmt: skip
# They call the system themselves, and why that is no way into a state directory.
ELSEWHERE = {
    "bootstrap.py": "the null device, and the user's configuration",
    "cli/commands/drive/demo.py": "a folder of its own",
    "cli/commands/proof/quality_gate.py": "a new file that the user names",
    "cli/commands/upkeep/init.py": "the user's configuration",
    "cli/drafting.py": "a folder of its own",
    "cli/inputs.py": "files that the user names",
    "cli/main.py": "the user's state",
    "cli/render.py": "the null device",
    "cli/topics.py": "our own files",
    "clients/install/files.py": "the files of clients",
    "clients/install/record.py": "the user's state",
    "clients/install/trial.py": "a folder of its own",
    "config.py": "our own files",
    "git/entries.py": "git's own files, and the user's state",
    "git/folders.py": "files of the project, for their digests",
    "git/garbage.py": "git's own files, and the user's state",
    "git/index.py": "git's own files",
    "git/objects.py": "git's own files",
    "git/own_branch.py": "git's own files",
    "git/trees.py": "the user's state",
    "git/worktrees.py": "the user's state; what lies in a worktree by safe_open",
    "hold/store.py": "the user's state",
    "hooks/files.py": "it looks for links itself, as hooks load nothing of system",
    "hooks/start.py": "the null device",
    "loop/examining.py": "the user's state",
    "rehearsal/acts.py": "it plays an agent",
    "rehearsal/script.py": "it plays an agent",
    "storage/places.py": "the file .git of a linked worktree",
    "storage/trusted.py": "the user's configuration",
    "system/procfs.py": "the kernel's files",
    "witness/sockets.py": "the kernel's list of sockets",
    "witness/setups.py": "a cache of our own, outside of every repository",
    "system/removal.py": "git's own files, and the user's state; it follows no link",
    "system/run.py": "the kernel's files",
    "system/safe_open.py": "it is the one place",
    "verifier/command.py": "files that the user names",
    "verifier/script.py": "our own files",
    "wiring/stores.py": "the user's state",
    "witness/across/judge.py": "a checkout",
    "witness/across/pair.py": "our own files",
    "witness/across/product.py": "a checkout",
    "witness/across/programs.py": "the null device",
    "witness/attempts.py": "it tries to get out of a sandbox",
    "witness/cache.py": "the user's cache",
    "witness/checks/replay.py": "a folder of its own",
    "witness/garbage.py": "the user's cache",
    "witness/isolation.py": "the user's cache, and our own files",
    "witness/pool.py": "the user's cache",
    "witness/sandbox.py": "a pipe, and the kernel's files",
    "witness/scheduler.py": "a report of a check in the worktree",
    "witness/setup.py": "the user's cache, and a checkout",
    "witness/workspace.py": "a checkout",
}
# These act on what safe_open has opened or looked at.
BEHIND = {
    ("loop/phase.py", "open(open_without_links(path, NEW), 'wb')"),
    ("loop/phase.py", "os.mkdir(path, mode=448)"),
    ("storage/disk.py", "open(open_without_links(path, NEW, mode), 'wb')"),
    ("storage/disk.py", "os.replace(old, new)"),
    ("storage/garbage.py", "os.rmdir(os.path.dirname(path))"),
    ("storage/garbage.py", "os.unlink(path)"),
    ("storage/ledger.py", "open(os.dup(self._fd), 'rb')"),
    ("storage/runs.py", "os.rename(run.files.dir, staged.dir)"),
    ("storage/runs.py", "os.rmdir(place)"),
}
MODULES = sorted(path.relative_to(HOUSE).as_posix() for path in HOUSE.rglob("*.py"))


def list_calls(module: str) -> set[str]:
    text = (HOUSE / module).read_text()
    if not any(f"{name}(" in text for name in OPENING):  # to parse every module takes seconds
        return set()
    nodes = ast.walk(ast.parse(text))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    plain = [call for call in calls if isinstance(call.func, ast.Name | ast.Attribute)]
    return {ast.unparse(call) for call in plain if ast.unparse(call.func) in OPENING}


@for_each("module", MODULES)
def test_H3_what_writes_state_opens_files_by_safe_open(module: str) -> None:
    calls = list_calls(module)
    if module in ELSEWHERE:
        assert calls, "it need not be excused any more"
        return
    assert {(module, call) for call in calls} <= BEHIND


def test_each_excuse_is_of_a_module_that_is_there() -> None:
    assert set(ELSEWHERE) <= set(MODULES)
    assert {(module, call) for module, _ in BEHIND for call in list_calls(module)} == BEHIND
