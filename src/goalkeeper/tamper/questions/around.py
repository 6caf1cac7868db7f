"""What is around a program: a time zone, a locale, a folder, what was asked before.

No answer depends on these unless somebody wants it to. So questions are asked once more where all
of it is another, and, if an answer is another then, too, with one thing changed after the other.
How often something was asked is around it, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from goalkeeper.tamper.questions.model import Question
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

Each = TypeVar("Each")

ORDER = "order"
# Of the processor's time, and of the clock's for what waits: slow suites are asked in part.
AROUND_SECONDS = 0.15
AROUND_WAITING = 1.5
AROUND_TURNS = 20  # so often is asked again what is quick
# Half an hour beside the hour, and with a summer. Where there is no data of zones, the rule itself.
_ZONE = "Australia/Lord_Howe"
_RULE = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0/2"
_ZONES = "/usr/share/zoneinfo/"
_PATHS = late_pattern(r"[\w@.+-]*(?:/[\w@.+-]+)+/?|[\w@+-][\w@.+-]*")
_HERE = late_pattern(r"""["'`]\.{1,2}["'`/]|subprocess|spawn|\bexec""")


class Surrounding(Value):
    """One thing that can be another, and what changes it in each language.

    Tests in which `named` is found mean it: the product may depend on it.
    """

    name: str
    said: str
    named: re.Pattern[str]
    in_python: str = ""
    in_script: str = ""
    in_shell: str = ""

    def is_meant(self, text: str) -> bool:
        return bool(self.named.search(text))


SURROUNDINGS = (
    Surrounding(
        "time zone",
        "right in the time zone of the tests alone",
        late_pattern(
            r"\bTZ\b|tzset|tzlocal|(?i:\blocal(?:[ _-]?time|[ _-]?date|s)?\b)|mktime|astimezone\(\)"
            r"|fromtimestamp\([^,()]*\)|[tT]imezoneOffset|toLocale|\.[gs]et(?:Hours|Date|Day|Month"
            r"|FullYear|Minutes)\(|new Date\(\s*\d+\s*,"
        ),
        in_python=f"""\
ASK9_os.environ["TZ"] = {_ZONE!r} if ASK9_os.path.exists({_ZONES + _ZONE!r}) else {_RULE!r}
ASK9_time.tzset()
""",
        in_script=f'process.env.TZ = "{_ZONE}";\n',
        in_shell=f"TZ={_ZONE}\n[ -e {_ZONES}$TZ ] || TZ='{_RULE}'\nexport TZ\n",
    ),
    Surrounding(
        "locale",
        "right in the locale of the tests alone",
        late_pattern(r"(?i:locale)|\bLC_[A-Z]+|\bLANG\b|\bIntl\b|(?i:collat)"),
        in_python="""\
ASK9_word = ASK9_os.environ.get("LC_ALL") or ASK9_os.environ.get("LANG", "")
ASK9_os.environ["LC_ALL"] = "C" if "utf" in ASK9_word.lower() else "C.UTF-8"
""",
        in_script="""\
const spoken = process.env.LC_ALL || process.env.LANG || "";
process.env.LC_ALL = /utf/i.test(spoken) ? "C" : "C.UTF-8";
""",
        in_shell="""\
case ${LC_ALL:-${LANG-}} in *[Uu][Tt][Ff]*) LC_ALL=C ;; *) LC_ALL=C.UTF-8 ;; esac
export LC_ALL
""",
    ),
    Surrounding(
        "folder",
        "right in the working folder of the tests alone (it reads its own files by a path from "
        "there?)",
        late_pattern(r"chdir|getcwd|\bcwd\b|\bcurdir\b|PWD|\bpushd\b"),
        in_python="""\
ASK9_sys.path[:] = [ASK9_os.path.abspath(each) for each in ASK9_sys.path]
ASK9_away = ASK9_os.environ.get("TMPDIR", "/tmp") + "/%d" % ASK9_os.getpid()
ASK9_os.makedirs(ASK9_away, exist_ok=True)
ASK9_os.chdir(ASK9_away)
""",
        in_script="""\
const away = (process.env.TMPDIR || "/tmp") + "/" + process.pid;
mkdirSync(away, { recursive: true });
process.chdir(away);
""",
    ),
    Surrounding(
        "program",
        "right only for who is started as a file",
        late_pattern(r"__main__|sys\.argv|process\.argv|require\.main|import\.meta\.main|runpy"),
        in_python="""\
ASK9_sys.argv[:] = ["-c"]
vars(ASK9_sys.modules["__main__"]).pop("__file__", None)
""",
        in_script="process.argv.length = 1;\n",
    ),
    Surrounding(
        ORDER,
        "right in the order of the tests alone: an answer depends on what was asked before",
        late_pattern(
            r"autouse|(?i:set_?up|tear_?down|reset|shuffle|random)|\.clear\(|before(?:All)?\("
            r"|after(?:All|Each)?\("
        ),
    ),
)
# It has no run of its own: with all that is around them, calls are made again and again.
REPETITION = Surrounding(
    "repetition",
    "right the first times alone: asked again and again, the answer becomes another",
    late_pattern(
        SURROUNDINGS[-1].named.pattern
        + r"|(?i:limit|quota|throttl|attempt|retr[yi]|lock|expir|capacity|exhaust|budget|at most)"
    ),
)
# What tests of shell load is named by paths from the working folder.
SURROUNDINGS_OF_SHELL = tuple(e for e in SURROUNDINGS if e.in_shell or e.name == ORDER)


def is_named_in(question: Question, around: Surrounding, paths: frozenset[str]) -> bool:
    """Return whether a question itself brings what would be another; `paths` are of the tree."""
    text = f"{question.call}\n{question.expected}"
    if around.name == "locale":
        return not text.isascii()
    if around.name != "folder":
        return False
    words = (word.removeprefix("./").rstrip("/") for word in _PATHS.findall(text))
    return bool(_HERE.search(text)) or not paths.isdisjoint(words)


def write_steps(around: Sequence[Surrounding], language: str) -> str:
    """Return what changes the surroundings, before the product is loaded."""
    return "".join(getattr(each, f"in_{language}") for each in around)


def put_in_order(
    around: Sequence[Surrounding], asked: Sequence[tuple[Each, Question]]
) -> list[Each]:
    """Return what is asked in the order in which it is; another order is from the last on.

    What takes several steps comes at the end, because it may use up the time.
    """
    quick = [each for each, _ in sorted(asked, key=lambda pair: pair[1].is_played)]
    return quick[:: -1 if any(each.name == ORDER for each in around) else 1]
