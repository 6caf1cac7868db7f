"""Security constraints: what no command of a campaign may do, whatever its step says.

The rules are data. A command is read by the grammar of the shell, so that words count as the shell
would see them: quoting, variables that the same text assigns, and scripts inside scripts.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from goalkeeper.core.campaign import guarded
from goalkeeper.core.campaign.guarded import FETCHED, UNKNOWN, CallPattern, HandedScript
from goalkeeper.tamper.syntax import Source, field, shell_root, shell_text, walk
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_CHARACTERS = 131_072  # Linux hands no longer text to `sh -c`
MOST_SHOWN = 200
_EFFORT = 48  # so many characters are looked at for each that is written: time stays linear
_MOST_VALUES = 16  # of a variable that is made of its own values
_STEP = 100  # what it costs to parse a script or to judge a path, in characters

# More characters for private use: where a word is split, its alternatives, and that it had values.
_BLANK, _OPEN, _COMMA, _CLOSE, _EXPANDED = "\ue002\ue003\ue004\ue005\ue006"
_MARKED = str.maketrans("{,}", f"{_OPEN}{_COMMA}{_CLOSE}")
_UNMARKED = str.maketrans(f"{_OPEN}{_COMMA}{_CLOSE}", "{,}")
_ALTERNATIVES = late_pattern(
    f"{_OPEN}([^{_OPEN}{_CLOSE}{_COMMA}]*{_COMMA}[^{_OPEN}{_CLOSE}]*){_CLOSE}"
)
_KNOWN = {"HOME": "~", "PWD": ".", "IFS": " ", "GIT_DIR": ".git", "SHELL": "bash", "BASH": "bash"}
_BADLY_READ = frozenset({"command_substitution", "heredoc_body", "regex", "word"})
_NO_WORDS = frozenset({"variable_assignment", "file_redirect", "herestring_redirect", "subshell"})
_BACK_TICKS = late_pattern(r"\\.|`((?:[^`\\]|\\.)*)`", re.DOTALL)
_RAW = late_pattern(r"<<-?\s*[\"'\\]")
_LITERAL = late_pattern(r"\\(.)|[{,}]", re.DOTALL)
_ESCAPE = late_pattern(r"\\(?:[xuU]([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL)

REASONS = {
    "recursive-forced-removal": "It removes whole folders without asking.",
    "world-writable": "It lets everybody on the machine read, change and run a file.",
    "pipe-to-shell": "It runs a program that nobody has read, as it arrives.",
    "eval-expansion": "It runs text that is known only when it runs.",
    "make-filesystem": "It makes a new file system in place of what is there.",
    "device-write": "It writes to a device.",
    "shutdown": "It stops the machine.",
    "fork-bomb": "It starts itself again and again until the machine stands still.",
    "crontab-write": "It makes a command run later, when nobody looks.",
    "kill-everything": "It ends every process that it can reach.",
    "guarded-write": "It writes to a guarded place: {}.",
    "git-configuration": "It changes what git runs, or how git works in other repositories.",
    "unknown-command": "It runs a command that cannot be known, with arguments of a dangerous one.",
    "unreadable": "It cannot be read as a shell would read it.",
}


class Danger(Value):
    rule: str
    what: str  # the words that are dangerous, as the shell would see them
    reason: str


_FORCED = (rf"^-[a-zA-Z]*[rR{UNKNOWN}]|^--r", rf"^-[a-zA-Z]*[f{UNKNOWN}]|^--f")
_WHOLE = r"^(?:/(?!tmp/?$)\w*|~|/home/\w+)/?\*?$"
_MODE = r"0*[0-7]?777"
_USER = r"\A(?:(?:-(?![uU]|-e?u).*|9|KILL)\n)*(?:-[uU]|--e?uid|--user)[\n=]?[^-\n]*(?:\n-.*)*\Z"
_KEY = r"(?i:core\.(?:hookspath|fsmonitor|sshcommand)|include\.path)"
_SET = r"^[\w.]+\.\w+\n|^-e$|^--(?:unset|edit|re)|^unset$"
_GET = r"^config\n(?:-.*\n)*(?:--get|get$|--list|-l|list$)"
_NAMELESS = rf".*[{UNKNOWN}{FETCHED}*?].*|.*\[.+\].*"
_NOT_OF_RM = r"^-(?![rRfiIdv]+$|-(?:recursive|force|no-preserve|one-file|$))"
CALLS = (
    CallPattern("recursive-forced-removal", "rm", _FORCED),
    CallPattern("recursive-forced-removal", "find", (_WHOLE, r"^-delete$")),
    CallPattern("world-writable", "chmod", (rf"^{_MODE}$|^(?:.*,)?[ug]*[ao]\w*[+=][rwxXst]{{3}}",)),
    CallPattern("world-writable", "install|mkdir", (rf"^(?:-\w*m|--mode)[\n=]?{_MODE}$",)),
    CallPattern("make-filesystem", r"mkfs.*|mke2fs|mkswap|wipefs"),
    CallPattern("shutdown", "shutdown|reboot|halt|poweroff"),
    CallPattern("shutdown", "(?:tel)?init|systemctl", (r"^(?:[06]|reboot|poweroff|halt)\b",)),
    CallPattern("crontab-write", "crontab", (), r"^-[a-zA-Z]*[lTVh]|^--help$"),
    CallPattern("crontab-write", "at|batch", (), r"^-[lcqVdr]"),
    CallPattern("kill-everything", "kill", (r"\n-0*1$",), r"\A-(?:0|[sn]\n0|l)$"),
    CallPattern("kill-everything", "killall5"),
    CallPattern("kill-everything", "pkill|killall", (r"^\.[*+]?$|^-v$|^--inverse$|\n\Z",)),
    CallPattern("kill-everything", "pkill|killall|skill", (_USER,)),
    CallPattern("git-configuration", "git", (r"^config$", r"^--(?:global|system)$", _SET), _GET),
    CallPattern(
        "git-configuration", "git", (r"^config$", rf"^{_KEY}\n|^(?:--)?unset.*\n{_KEY}$"), _GET
    ),
    CallPattern("git-configuration", "git", (rf"^-c\n{_KEY}=|^--config-env[\n=]{_KEY}=",)),
    CallPattern("git-configuration", "git", (r"^alias\.[^=\n]*[=\n]!",)),
    CallPattern("unknown-command", _NAMELESS, _FORCED, _NOT_OF_RM),
    CallPattern("unknown-command", _NAMELESS, (rf"\A(?:-.*\n)*{_MODE}$",)),
    CallPattern("unknown-command", _NAMELESS, (r"^of=/dev/(?!null$)",)),
    CallPattern("unknown-command", _NAMELESS, (r"^-(?:9|\w*KILL)\n(?:--\n)?-1$",)),
)


def find_dangers(command: str) -> tuple[Danger, ...]:
    """Find what is dangerous in a command or script, in about the order of its text."""
    reader = _DangerReader(len(command))
    try:
        reader.read(command)
    except RecursionError:
        reader.report("unreadable", command)
    return tuple(reader.found)


class _CommandContext(Value):
    """What a command has from the statements around it."""

    stdin: str = ""  # text that it is given; FETCHED for a pipe
    function: str = ""  # the function that it is written in
    forks: bool = False  # it runs beside others
    words: tuple[str, ...] = ()  # the grammar gives words behind a redirection to the redirection


class _DangerReader:
    def __init__(self, length: int) -> None:
        self.found: dict[Danger, None] = {}
        self._left = _EFFORT * (length + 500) if length <= MOST_CHARACTERS else 0
        self._scripts: list[tuple[str, _CommandContext]] = []
        self._values = {name: {value: None} for name, value in _KNOWN.items()}
        self._functions: set[str] = set()
        self._forked: set[str] = set()
        self._folder = ""

    def report(self, rule: str, what: str, *more: str) -> None:
        shown = re.sub(f"[{UNKNOWN}-{_EXPANDED}]", "…", what[:MOST_SHOWN])
        self.found[Danger(rule, " ".join(shown.split()), REASONS[rule].format(*more))] = None

    def read(self, script: str) -> None:
        self._scripts.append((script, _CommandContext()))
        for text, around in self._scripts:
            self._spend(len(text) + _STEP)
            # The grammar ends a word where a line is continued; but in comments a line ends there.
            for variant in dict.fromkeys((text, re.sub(r"(?<!\\)((?:\\\\)*)\\\n", r"\1", text))):
                top = shell_root(Source("", variant))
                if top.has_error:
                    self.report("unreadable", variant)
                self._collect_values(top)
                self._visit(top, around)

    def _spend(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise RecursionError  # a short text stands for a very long one

    def _collect_values(self, top: Node) -> None:
        """Collect what variables are set to anywhere, because order says little about loops."""
        for node in walk(top):
            match node.type:
                case "variable_assignment":
                    name, _, index = shell_text(field(node, "name")).partition("[")
                    value = field(node, "value")
                    texts = self._spread(self._read(value))
                    if index or any(each.type == "+=" for each in node.children):
                        before = [*self._values.get(name, ("",))]
                        self._spend(len(before) * len(texts))
                        glue = _BLANK if index or shell_text(value)[:1] == "(" else ""
                        texts = [start + glue + text for start in before for text in texts]
                    self._assign(name, texts)
                case "for_statement":
                    for word in self._read_words(*node.children_by_field_name("value")):
                        self._assign(shell_text(field(node, "variable")), [word])
                case "function_definition":
                    self._functions.add(shell_text(field(node, "name")))
                case "command":
                    name = shell_text(field(node, "name"))
                    if name == "set" or name in self._functions:
                        words = self._read_words(*node.children_by_field_name("argument"))
                        self._pass_words(words if words[:1] == ["--"] else [name, *words])
                case _:
                    pass

    def _assign(self, name: str, texts: Sequence[str]) -> None:
        known = self._values.setdefault(name, {})
        if len(texts) > _MOST_VALUES and len(texts) >= len(known):
            known.clear()  # of what is made longer again and again, the longest is kept
            texts = texts[-1:]
        for text in texts:
            self._spend(len(text) + 1)
            known[text] = None

    def _pass_words(self, words: Sequence[str]) -> None:
        """Let the words be the name and the arguments of a script or function."""
        for name, value in (*enumerate(words), ("@", _BLANK.join(words[1:]))):
            self._assign(str(name), [value])

    def _read_words(self, *nodes: Node | None) -> list[str]:
        raws = map(self._read, nodes)
        return [word for raw in raws for text in self._spread(raw) for word in _split(text)]

    def _spread(self, raw: str) -> list[str]:
        """Write a word once for each of the alternatives that it has."""
        spread, waiting, most = [], [raw], 4 * _MOST_VALUES + 2 * raw.count(_COMMA)
        for word in waiting:
            found = _ALTERNATIVES.search(word) if len(waiting) < most else None
            if found is None:
                spread.append(_ALTERNATIVES.sub(UNKNOWN, word).translate(_UNMARKED))
            else:
                parts = found[1].split(_COMMA)
                self._spend(len(word) * len(parts))
                waiting += (word[: found.start()] + part + word[found.end() :] for part in parts)
        return spread

    def _read(self, node: Node | None, *, is_quoted: bool = False) -> str:
        """Read a word as the shell does; where it is split or spread later, that is marked."""
        if node is None:
            return ""
        match node.type:
            case "array":
                return _BLANK.join(self._read_words(*node.named_children))
            case "raw_string":
                return shell_text(node)[1:-1]
            case "ansi_c_string":
                return _ESCAPE.sub(_write_escape, shell_text(node)[2:-1])
            case "simple_expansion" | "expansion":
                value = self._expand(node)
                blank = rf"\s|[{re.escape(''.join(self._values['IFS']))}]"
                return _EXPANDED + (value if is_quoted else re.sub(blank, _BLANK, value))
            case "command_substitution":
                asks_git = "rev-parse --git-" in shell_text(node)[:MOST_SHOWN]
                return _EXPANDED + (".git" if asks_git else FETCHED)
            case "process_substitution" | "arithmetic_expansion":
                return _EXPANDED + ("/dev/fd/63" if node.type[0] == "p" else UNKNOWN)
            case "string" | "translated_string" | "heredoc_body" | "concatenation" | "command_name":
                return self._read_parts(node)
            case _:
                return _LITERAL.sub(lambda m: m[1] or m[0].translate(_MARKED), shell_text(node))

    def _read_parts(self, node: Node) -> str:
        # What is between the parts is read as well: the grammar drops blanks there.
        is_quoted = node.type in {"string", "heredoc_body"}
        text, start, read = node.text or b"", 0, []
        for part in node.children:
            if part.type in {"string_content", "heredoc_content"}:
                continue
            read.append(_read_quoted(text[start : part.start_byte - node.start_byte]))
            if part.type not in {'"', "$"}:
                read.append(self._read(part, is_quoted=is_quoted))
            start = part.end_byte - node.start_byte
        return "".join((*read, _read_quoted(text[start:])))

    def _expand(self, node: Node) -> str:
        operator = shell_text(field(node, "operator"))
        inside = node.named_children
        name, _, index = shell_text(inside[0] if inside else None).partition("[")
        values = [*self._values.get("@" if name == "*" else name, (UNKNOWN,))]
        if operator.strip(":") in {"-", "=", "+"}:
            others = self._spread(self._read(inside[-1])) if len(inside) > 1 else [""]
            self._assign(name, others)  # `:=` does, and for the others it does no harm
            values += others
        elif operator:
            values = [UNKNOWN]
        if index and index[0] not in "@*":
            values = [item for value in values for item in value.split(_BLANK)]
        self._spend(sum(map(len, values)) + len(values))
        return values[0] if len(values) == 1 else _OPEN + _COMMA.join(values) + _CLOSE

    def _visit(self, top: Node, around: _CommandContext) -> None:
        waiting = [(top, around)]
        while waiting:
            node, around = waiting.pop()
            if node.type in _BADLY_READ:
                self._scripts += ((text, around) for text in _find_hidden_scripts(node))
            if node.type in {"command", "redirected_statement"}:
                around = self._redirect(node, around)
            if node.type == "command":
                self._judge_command(node, around)
            if node.type == "file_redirect" and any(">" in each.type for each in node.children):
                for path in self._read_words(field(node, "destination")):
                    self._judge_path(path, shell_text(node))
            waiting += reversed([*_enter(node, around)])

    def _redirect(self, node: Node, around: _CommandContext) -> _CommandContext:
        stdin, words = around.stdin, around.words
        waiting = node.children_by_field_name("redirect")
        for each in waiting:
            waiting += each.children_by_field_name("redirect")  # a here-document holds what follows
            for part in each.children:
                if each.type == "herestring_redirect" or part.type == "heredoc_body":
                    stdin = "\n".join(" ".join(_split(x)) for x in self._spread(self._read(part)))
            targets = each.children_by_field_name("destination")
            if targets and any(part.type in {"<", "<&"} for part in each.children):
                stdin = FETCHED if targets[0].type in {"process_substitution", "number"} else ""
            more = (*targets[1:], *each.children_by_field_name("argument"))
            words += tuple(self._read(word) for word in more)
        return around.replace(stdin=stdin, words=words)

    def _judge_command(self, node: Node, around: _CommandContext) -> None:
        raws: list[str] = []
        end = -1
        for part in (each for each in node.children if each.type not in _NO_WORDS):
            raws.append((raws.pop() if part.start_byte == end else "") + self._read(part))
            end = part.end_byte  # the grammar begins a new word at a back-tick
        name, *raws = (*raws, *around.words) or ("",)
        words = [word for raw in raws for text in self._spread(raw) for word in _split(text)]
        if not words and name in {UNKNOWN, FETCHED}:  # it is in a script that was made of it
            self.report("eval-expansion" if name == UNKNOWN else "pipe-to-shell", name)
        for call in filter(None, ([*_split(text), *words] for text in self._spread(name))):
            self._judge(call, around, has_expansion=any(_EXPANDED in raw for raw in raws))

    def _judge(self, call: Sequence[str], around: _CommandContext, *, has_expansion: bool) -> None:
        waiting = [call]
        for words in waiting:
            name, given, shown = posixpath.basename(words[0]), words[1:], " ".join(words)
            self._spend(len(shown) + len(words))
            lines = "\n".join(given)
            for each in CALLS:
                if each.fits(name, lines):
                    self.report(each.subject, shown)
            if name == "eval" and has_expansion:
                self.report("eval-expansion", shown)
            if words[0] == around.function and around.forks:
                if name in self._forked:
                    self.report("fork-bomb", shown)
                self._forked.add(name)
            if name in {"cd", "pushd"}:
                entered = posixpath.join(self._folder, given[-1] if given else "~")
                self._folder = posixpath.normpath(entered)
                self._spend(len(entered))
            for path in guarded.list_written_paths(name, lines):
                self._judge_path(path, shown)
            for script in guarded.list_scripts(name, given, around.stdin):
                self._take_script(script, shown, around)
            waiting += filter(None, guarded.list_started(name, given))

    def _take_script(self, script: HandedScript, shown: str, around: _CommandContext) -> None:
        text = script.text.strip()
        if text == FETCHED or (text == UNKNOWN and script.is_shell):
            self.report("pipe-to-shell" if text == FETCHED else "eval-expansion", shown)
        elif text and script.is_shell:
            self._pass_words(script.words)
            stdin = "" if script.text == around.stdin else around.stdin
            self._scripts.append((text, around.replace(words=(), stdin=stdin)))

    def _judge_path(self, path: str, shown: str) -> None:
        """Judge what a path may stand for: seen from here, from a folder entered, or the home."""
        self._spend(len(path) + len(self._folder) + _STEP)
        unknown = re.sub(f"^[{UNKNOWN}{FETCHED}]+", "~", path)
        entered = path if path[:1] in {"/", "~"} else f"{self._folder or '.'}/{path}"
        for each in dict.fromkeys((path, unknown, entered)):
            if (place := guarded.find_guarded_place(each)) is not None:
                self.report(place.rule, shown, place.name)


def _enter(node: Node, around: _CommandContext) -> Iterator[tuple[Node, _CommandContext]]:
    """Yield what lies in a node, each with what then is around it."""
    if node.type == "function_definition":
        around = _CommandContext(function=shell_text(field(node, "name")))
    elif node.type == "process_substitution":
        around = around.replace(stdin=FETCHED if node.children[0].type == ">(" else "")
    elif node.type in {"do_group", "if_statement", "case_item"}:
        around = around.replace(words=(), forks=False)
    elif node.type != "redirected_statement" and around.words:
        around = around.replace(words=())
    parts = node.children
    for part, following in zip(parts, (*parts[1:], None), strict=False):
        inner = around
        if node.type == "pipeline" or (following is not None and following.type == "&"):
            inner = inner.replace(forks=True)
        # The grammar puts what follows a here-document on its line into the document.
        if (node.type, part.type) == ("heredoc_redirect", "pipeline") or (
            node.type == "pipeline" and part != parts[0]
        ):
            inner = inner.replace(stdin=FETCHED)
        yield part, inner


def _find_hidden_scripts(node: Node) -> Iterator[str]:
    """Find commands where the grammar sees none, or takes two between back-ticks for one."""
    text = shell_text(node)
    is_raw = node.type == "heredoc_body" and _RAW.match(shell_text(node.parent)) is not None
    if not is_raw and (node.type != "command_substitution" or text[:1] == "`"):
        codes = (found[1] for found in _BACK_TICKS.finditer(text))
        yield from (re.sub(r"\\([`$\\])", r"\1", code) for code in codes if code)
    if node.type == "regex" and "$(" in text:
        yield f": {text}"


def _split(text: str) -> list[str]:
    words = text.replace(_EXPANDED, "").split(_BLANK)
    return [word for word in words if word] if _EXPANDED in text else words


def _read_quoted(data: bytes) -> str:
    text = data.decode(errors="replace").encode("latin-1", errors="replace")
    return re.sub(r'\\([$`"\\\n])', r"\1", text.decode(errors="replace"))


def _write_escape(found: re.Match[str]) -> str:
    if found[1] or found[2]:
        return chr(min(int(found[1] or found[2], 16 if found[1] else 8), 0x10FFFF))
    return {"n": "\n", "t": "\t"}.get(found[3], found[3])
