"""Places that no step of a campaign may write to, and how the words of a command get at them.

What lies in these places runs later, in somebody else's name, or lets somebody in. One table
serves commands (`tamper.dangerous`), fences and diffs.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache

from goalkeeper.wire.clients import CLIENTS
from goalkeeper.wire.value import MaybeEmpty, Value

MOST_CHARACTERS = 4096  # no system call takes a longer path
_HOME = r"^(?:~[^/]*|/home/[^/]+|/Users/[^/]+|/root|/var/root)/"
_HERE = r"(?:^|/)"  # below any folder, because a path may be relative or full
_END = r"(?:/|$)"  # the place itself, and all that lies in it
_CLIENT_FOLDERS = "|".join(CLIENTS)  # their folders have their names
_LISTED = "|".join(
    re.escape(file) for row in CLIENTS.values() for file in row.settings.in_project
) + "".join(
    f"|{re.escape(f'{row.settings.folder}/{file}')}"
    for row in CLIENTS.values()
    for file in row.settings.files
)


class GuardedPlace(Value):
    name: str  # as a sentence says it: "It writes to …"
    pattern: str  # is searched for in a path without `.`, `..` and doubled slashes
    rule: str = "guarded-write"  # what a command breaks that writes to it


GUARDED_PLACES = (
    GuardedPlace("git's hooks", rf"{_HERE}\.git/(?:.+/)?hooks{_END}"),
    GuardedPlace("git's configuration", rf"{_HERE}\.git/(?:.+/)?config(?:\.worktree)?$"),
    GuardedPlace("git's configuration", rf"{_HOME}(?:\.gitconfig$|\.config/git{_END})"),
    GuardedPlace("git's configuration", r"^/etc/gitconfig$"),
    GuardedPlace("keys and passwords", rf"{_HOME}\.(?:ssh|aws|gnupg){_END}"),
    GuardedPlace(
        "a file of secrets", rf"{_HERE}\.env(?:\.(?![^/]*(?:example|sample|template)$)[^/]+)?$"
    ),
    GuardedPlace(
        "a shell's configuration",
        rf"{_HOME}\.(?:bashrc|bash_(?:aliases|profile|login|logout)|profile|kshrc"
        rf"|zshrc|zshenv|zprofile|zlogin|zlogout|config/fish{_END}.*)$",
    ),
    GuardedPlace("a shell's configuration", r"^/etc/(?:profile|bash\.bashrc|zsh)(?:[./]|$)"),
    GuardedPlace(
        "a client's settings or hooks",
        rf"{_HERE}\.?(?:{_CLIENT_FOLDERS})/(?:settings[^/]*\.json$|config\.\w+$|hooks|plugins?{_END})",
    ),
    GuardedPlace("a client's settings", rf"{_HERE}(?:{_LISTED})$"),
    GuardedPlace("goalkeeper's state", rf"{_HERE}\.goalkeeper{_END}"),
    GuardedPlace("goalkeeper's state", rf"{_HOME}\.(?:local/state|config)/goalkeeper{_END}"),
    GuardedPlace("cron", r"^/(?:etc|var/spool)/(?:ana)?cron", "crontab-write"),
    GuardedPlace("what the kernel obeys", r"^/proc/sysrq-trigger$", "device-write"),
    GuardedPlace(
        "a device",
        r"^/dev/(?!(?:null|zero|full|tty|std(?:in|out|err))$|(?:fd|pts|shm|tcp|udp)/)",
        "device-write",
    ),
    # Who puts another folder or a link in their place has written to all that is in them.
    GuardedPlace("hooks or settings", rf"{_HERE}\.(?:git|{_CLIENT_FOLDERS})$"),
)
GUARDED_NAMES = (
    ".git", "hooks", "config", ".ssh", ".aws", ".gnupg", ".env", ".bashrc", ".zshrc", ".profile",
    ".bash_profile", ".gitconfig", "settings.json", "hooks.json", "plugins", ".goalkeeper",
    *(f".{name}" for name in CLIENTS),
)  # fmt: skip

# Characters for private use stand in words for what is no text.
UNKNOWN, FETCHED = "\ue000", "\ue001"  # a value that only a run can tell; what a command printed


class CallPattern(Value):
    """A call fits if its name fits, and its arguments, one on a line, fit all patterns."""

    subject: str  # the rule that it breaks, or a pattern of the paths that it writes to
    name: str
    needs: tuple[str, ...] = ()
    lacks: str = r"(?!)"  # what makes it harmless
    is_copy: bool = False  # it may put its other arguments, by their names, into the path

    def fits(self, name: str, arguments: str) -> bool:
        return (
            is_name(self.name, name)
            and all(match_words(pattern, arguments) for pattern in self.needs)
            and not match_words(self.lacks, arguments)
        )


_FOLDER = r"(?:^|/)(?:\.[^/]*|~)?$"  # a path that looks like one
_INTO = r"^(?:-\w*t|--target-directory)[\n=]?"
_LAST = r"^(?P<path>[^-\n].*)(?=(?:\n-.*)*\Z)"
WRITERS = (
    CallPattern(r"^(?P<path>.+)$", "tee|touch|mkdir|rm|rmdir|unlink|truncate|shred|sponge|mv"),
    CallPattern(r"^(?P<path>.+)$", "chmod|chown|chgrp|patch|ed|ex|vim?|nano"),
    CallPattern(_LAST, "cp|mv|install|ln", lacks=_INTO, is_copy=True),
    CallPattern(rf"{_INTO}(?P<path>.*)$", "cp|mv|install|ln", is_copy=True),
    CallPattern(_LAST, "rsync|scp", is_copy=True),
    CallPattern(  # a path is no `s/this/that/`
        r"^(?!s/[^/\n]*/[^/\n]*/[a-zA-Z]*$)(?P<path>.+)$",
        "sed|perl|ruby",
        (r"^-[nErsuzplaw0-9]*i|^--in-place",),
    ),
    CallPattern(r"^(?P<path>[^-\n].*)$", "find", (r"^-(?:delete|fprint)",)),
    CallPattern(r"^(?P<path>.+)$", "git", (r"^(?:mv|rm)$",), lacks=r"^--cached$"),
    CallPattern(
        r"^(?:-f|--file)[\n=]?(?P<path>.*)$", "git", (r"^config$",), lacks=r"^(?:--get|--list|-l$)"
    ),
    CallPattern(r"^(?P<path>.+)$", "[gm]?awk", (r"^-i\ninplace$",)),
    CallPattern(r"^of=(?P<path>.*)$", "dd"),
    CallPattern(r"^(?:-[a-zA-Z]*o|--output(?:-dir)?)[\n=]?(?P<path>.*)$", "curl|sort"),
    CallPattern(
        r"^(?:-[a-zA-Z]*[OP]|--output-document|--directory-prefix)[\n=]?(?P<path>.*)$", "wget"
    ),
    CallPattern(r"^(?:-\w*C|--directory)[\n=]?(?P<path>.*)$", "(?:bsd)?tar"),
    CallPattern(r"^-d\n?(?P<path>.*)$", "unzip"),
)


class RunnerPattern(Value):
    """A program that runs programs; without one of these options it reads them from its input."""

    name: str
    program: str
    valued: str = ""  # options that take a value
    is_shell: bool = False


RUNNERS = (
    RunnerPattern(
        "(?:ba|rba|da|a|z|k|mk|fi|c|tc)?sh",
        r"-[a-zA-Z]*c",
        "-o -O +o +O --rcfile --init-file",
        is_shell=True,
    ),
    RunnerPattern(r"source|\.", r"(?!)", is_shell=True),
    RunnerPattern(r"(?:python|pypy)[\d.]*", r"-[a-zA-Z]*[cm]", "-W -X"),
    RunnerPattern("perl|ruby|lua|osascript", r"-[alnpswxtTuUcF0-9i]*[eE]"),
    RunnerPattern(
        "node|nodejs|bun|deno", r"-e|-pe?|--eval|--print|--test", "-r --require --import"
    ),
    RunnerPattern(r"ipython[\d.]*|tclsh|Rscript", r"-[ce]"),
    RunnerPattern("php", r"-[rf]"),
)
_INPUT = r"-|0|/dev/stdin|/(?:dev|proc/self)/fd/\d+"
_OTHER_INPUT = r"/(?:dev|proc/self)/fd/[1-9]\d*"

_PLAIN_STARTERS = (
    "builtin nohup setsid chroot busybox toybox coproc chrt unshare taskset eval trap alias "
    "nsenter pkexec fakeroot unbuffer caffeinate"
    " - ! { if then elif else while until do"  # `env -`; what the grammar takes for a name
)
# Programs that start the command in their arguments, and their options that take a value.
STARTERS: Mapping[str, str] = {
    "sudo": "-u -g -h -p -C -D -R -r -t -T -U --user --group --host --prompt --close-from --chdir "
    "--chroot --role --type --command-timeout --other-user",
    "doas": "-u -C",
    "env": "-u -C --unset --chdir",
    "command": "-v -V",  # it says then what the next word is, and starts nothing
    "exec": "-a",
    "time": "-o -f --output --format",
    "nice": "-n --adjustment",
    "ionice": "-c -n -p --class --classdata --pid",
    "stdbuf": "-i -o -e --input --output --error",
    "timeout": "-s -k --signal --kill-after",
    "xargs": "-I -n -P -d -L -s -a -E --max-args --max-procs --delimiter --max-lines --max-chars "
    "--arg-file",
    "strace": "-e -o -p -s",
    "systemd-run": "-p -u --property --unit",
    "runuser": "-u -g --user --group",
    "flock": "-w -E --timeout --conflict-exit-code",
    "ssh": "-p -i -l -o -F -L -R -D -J -b -c -E -e -I -m -O -Q -S -W -w -B",
    "watch": "-n --interval",
    "parallel": "-j -a -n --jobs --arg-file",
    **dict.fromkeys(_PLAIN_STARTERS.split(), ""),
}
_AFTER_A_WORD = frozenset({"timeout", "chroot", "flock", "taskset", "chrt", "ssh"})
_AS_TEXT = frozenset({"eval", "trap", "alias", "ssh", "watch", "parallel"})
_RUN_TOOLS = frozenset({"uv", "poetry", "pipenv", "pdm", "hatch", "rye"})
_EXECUTING = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
# Programs that take a script as one of their arguments.
TEXTS = {
    "su|sg|runuser|script|flock": r"^(?:-\w*c|--\w*command)[\n=]?(?P<text>(?s:.*))",
    "env": r"^(?:-\w*S|--split-string)[\n=]?(?P<text>(?s:.*))",
    "(?:bsd)?tar": r"^--(?:checkpoint-action=exec|to-command)=(?P<text>(?s:.*))",
    "git": r"\A(?:-.*\n)*(?:submodule\n(?:-.*\n)*foreach|bisect\nrun"
    r"|rebase\n(?:.*\n)*?(?:-x|--exec))[\n=](?P<text>(?s:.*))",
}


class HandedScript(Value):
    """The text of a program that a command has another program run."""

    text: MaybeEmpty
    is_shell: bool = True
    words: tuple[str, ...] = ()  # its name and arguments


def is_guarded(path: str) -> bool:
    return find_guarded_place(path) is not None


def find_guarded_place(path: str) -> GuardedPlace | None:
    """Return the place that a path lies in; it starts at the root, the home or the repository."""
    if len(path) > MOST_CHARACTERS:
        return None
    # Of two slashes at the start, both would be kept.
    plain = posixpath.normpath(path.replace("//", "/"))
    plain = "/".join(map(_guess_name, plain.split("/")))
    return next((each for each in GUARDED_PLACES if match_words(each.pattern, plain)), None)


def _guess_name(name: str) -> str:
    """Give a pattern such as `.g?t` the name of a guarded place that it fits."""
    if not set("*?[") & set(name):
        return name
    fitting = (each for each in GUARDED_NAMES if fnmatchcase(each, name))
    return next((each for each in fitting if name[0] == "." or each[0] != "."), name)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


def match_words(pattern: str, words: str) -> re.Match[str] | None:
    """Search in words of which each stands on a line."""
    return _compile(pattern).search(words)


def is_name(pattern: str, name: str) -> bool:
    return _compile(pattern).fullmatch(name) is not None


def list_written_paths(name: str, arguments: str) -> Iterator[str]:
    """List the paths that a program writes to, going by its arguments, one on a line."""
    for writer in WRITERS:
        if writer.fits(name, arguments):
            for found in _compile(writer.subject).finditer(arguments):
                yield found["path"]
                if writer.is_copy and match_words(_FOLDER, found["path"]):
                    for each in arguments.splitlines():
                        yield f"{found['path']}/{posixpath.basename(each)}"


def list_started(name: str, arguments: Sequence[str]) -> Iterator[Sequence[str]]:
    """List the commands that a program starts because its arguments say so."""
    if not name.strip(UNKNOWN + FETCHED):
        yield arguments  # a variable may be empty
    elif name == "find":
        yield from _list_executed(arguments)
    elif name in _RUN_TOOLS and arguments[:1] == ["run"]:
        yield _skip_options(arguments[1:], "")
    elif name in STARTERS and name not in _AS_TEXT:
        command = _skip_to_command(name, arguments)
        yield from (command, command[1:]) if name == "coproc" else (command,)


def _list_executed(arguments: Sequence[str]) -> Iterator[Sequence[str]]:
    started: list[str] | None = None
    for word in (*arguments, ";"):
        if word in _EXECUTING:
            started = []
        elif started is not None and word in {";", "+"}:
            yield started
            started = None
        elif started is not None:
            started.append(word.replace("{}", UNKNOWN))


def _skip_to_command(name: str, arguments: Sequence[str]) -> Sequence[str]:
    command = _skip_options(arguments, STARTERS[name])
    if name in _AFTER_A_WORD:
        command = command[1:]
    if name in {"xargs", "parallel"}:
        options = "\n".join(arguments)
        place = match_words(r"^(?:-I\n?|-i|--replace=)(?P<place>.+)$", options)
        for sign in {"{}", place["place"] if place else "{}"}:
            command = [word.replace(sign, UNKNOWN) for word in command]
        command = [*command, UNKNOWN]
    return command


def _skip_options(words: Sequence[str], valued: str) -> Sequence[str]:
    """Return what follows the options, and the variables for `env` and `sudo`."""
    index = 0
    while index < len(words) and is_name(r"[-+](?s:.+)|\w+=(?s:.*)", words[index]):
        word = words[index]
        if word == "--":
            return words[index + 1 :]
        short = f"{word[0]}{word[-1]}"
        takes_value = (
            any(each.startswith(word) for each in valued.split())
            if word.startswith("--")
            else short in valued.split()
        )
        index += 2 if takes_value else 1
    return words[index:]


def list_scripts(name: str, arguments: Sequence[str], stdin: str) -> Iterator[HandedScript]:
    """List the scripts that a program is given: as an argument, in its input, or as a file."""
    lines = "\n".join(arguments)
    if name in _AS_TEXT:
        words = _skip_to_command(name, arguments)
        if name == "alias":
            words = ["\n".join(word.partition("=")[2] for word in arguments)]
        yield HandedScript(" ".join(words[:1] if name == "trap" else words))
    # Without a command they start a shell.
    if name == "su" or (name in {"sudo", "doas", "ssh"} and not _skip_to_command(name, arguments)):
        yield HandedScript(stdin)
    for names, pattern in TEXTS.items():
        if is_name(names, name) and (found := match_words(pattern, lines)):
            yield HandedScript(found["text"])
            yield HandedScript(found["text"].replace("\n", " "))
    runner = next((each for each in RUNNERS if is_name(each.name, name)), None)
    if runner is not None:
        yield _find_program(runner, arguments, stdin)


def _find_program(runner: RunnerPattern, arguments: Sequence[str], stdin: str) -> HandedScript:
    rest = _skip_options(arguments, runner.valued)
    options = arguments[: len(arguments) - len(rest)]
    text = ""  # a file by its name is not read
    if any(is_name(rf"(?:{runner.program})(?s:.*)", word) for word in options):
        return HandedScript(rest[0] if rest else "", runner.is_shell, tuple(rest[1:]))
    if runner.is_shell and any(is_name(r"-[a-zA-Z]*n", word) for word in options):
        pass  # it only looks at the syntax
    elif any(is_name(_OTHER_INPUT, word) for word in (*options, *rest[:1])):
        text = FETCHED
    elif (
        not rest
        or is_name(_INPUT, rest[0])
        or (runner.is_shell and any(is_name(r"-[a-zA-Z]*s[a-zA-Z]*", word) for word in options))
    ):
        text = stdin
    return HandedScript(text, runner.is_shell, (runner.name, *rest))
