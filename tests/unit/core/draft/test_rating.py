"""What a drafted test is worth follows from its runs and its text."""

from collections.abc import Mapping

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.draft import lint, rating
from goalkeeper.core.draft.answer import DraftAnswer, read_answer
from goalkeeper.core.draft.faults import MOST_FAULTS, make_faults
from goalkeeper.core.draft.model import Standing
from goalkeeper.core.draft.rating import RunTable, rate_test
from tests.tables import for_each

G, R, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN
GOOD = RunTable(base=(R, R), own=(G, G, G), others=(G,), faults=(G, R))
RATED = {
    "it shows what it must": (GOOD, Standing.BINDING, ""),
    "one fault is enough": (GOOD.replace(faults=(G, G, R)), Standing.BINDING, ""),
    "no fault could be made": (GOOD.replace(faults=()), Standing.BINDING, ""),
    "alone": (GOOD.replace(others=()), Standing.BINDING, ""),
    "green before work": (GOOD.replace(base=(G, G)), Standing.DROPPED, rating.GREEN_ON_BASE),
    "red on its own solution": (
        GOOD.replace(own=(R, R, R)), Standing.DROPPED, rating.RED_ON_REFERENCE,
    ),
    "green and red on the same files": (
        GOOD.replace(own=(G, R, G)), Standing.DROPPED, rating.UNSTABLE,
    ),
    "green and red on the base": (GOOD.replace(base=(R, G)), Standing.DROPPED, rating.UNSTABLE),
    "it cannot run at all": (GOOD.replace(own=(U,)), Standing.DROPPED, rating.CANNOT_RUN),
    "it cannot run on the base": (
        GOOD.replace(base=(U, U)), Standing.DROPPED, rating.CANNOT_RUN,
    ),
    "green on every fault": (
        GOOD.replace(faults=(G, G)), Standing.WEAK, rating.NOTICES_NOTHING,
    ),
    "a fault that hangs is not noticed": (
        GOOD.replace(faults=(U, G)), Standing.WEAK, rating.NOTICES_NOTHING,
    ),
    "the other solution fails": (GOOD.replace(others=(R,)), Standing.DISPUTED, rating.ONE_READING),
    "the other solution cannot be tried": (
        GOOD.replace(others=(U,)), Standing.DISPUTED, rating.ONE_READING,
    ),
    "it is sound where it is held out": (
        GOOD.replace(apart=RunTable((R,), (G, G), ())), Standing.BINDING, "",
    ),
    "it fails where it is held out": (
        GOOD.replace(apart=RunTable((R,), (R, R), ())), Standing.DROPPED, rating.CANNOT_RUN,
    ),
    "nobody can tell on the base where it is held out": (
        GOOD.replace(apart=RunTable((U,), (G, G), ())), Standing.DROPPED, rating.CANNOT_RUN,
    ),
    "green and red where it is held out": (
        GOOD.replace(apart=RunTable((R,), (R, G), ())), Standing.DROPPED, rating.UNSTABLE,
    ),
    "its text": (GOOD.replace(lint=("private-names", "x")), Standing.DROPPED, "private-names"),
}  # fmt: skip


@for_each("runs, standing, rule", RATED.values(), RATED)
def test_a_test_is_worth_what_its_runs_show(runs: RunTable, standing: Standing, rule: str) -> None:
    rated = rate_test(runs)
    assert (rated.standing, rated.rule) == (standing, rule)
    assert runs.is_sound is (standing is not Standing.DROPPED)


def make_facts(
    words: str = "parse may raise 'not an amount'",
    base: str = "def _known(): ...\nraise ValueError('empty text')",
) -> lint.LintFacts:
    return lint.LintFacts(words, ("amounts._groups",), ("amounts.py", "bin/tool"), lambda: base)


READ = {
    "def test(): assert parse('1') == 1": "",
    "open(tmp_path / 'x').write('amounts.py')": "",
    "subprocess.run(['python', 'amounts.py'])": "",
    "bash bin/tool --x": "",
    "bash bin/tool --x | grep -q foo": "",
    "bash bin/tool > out && grep -q foo out": "",
    "text = open('amounts.py').read()": lint.READS_REPOSITORY,
    "Path('src/amounts.py').read_text()": lint.READS_REPOSITORY,
    "fs.readFileSync(new URL('../amounts.py'))": lint.READS_REPOSITORY,
    "grep -q foo bin/tool": lint.READS_REPOSITORY,
    "cat bin/tool | grep -q foo": lint.READS_REPOSITORY,
    "import inspect\ninspect.getsource(parse)": lint.READS_REPOSITORY,
    "amounts._parse_groups('1')": lint.PRIVATE_NAMES,
    "from amounts import _helper": lint.PRIVATE_NAMES,
    "amounts._known()": "",
    "amounts._groups('1')": "",
    "row._asdict()": "",
    "self.__dict__": "",
    "with raises(ValueError, match='not an amount'): ...": "",
    "with raises(ValueError, match='empty text'): ...": "",
    "with raises(ValueError, match='bad separator'): ...": lint.PINS_MESSAGE,
    "assert.throws(f, { message: 'bad separator' })": lint.PINS_MESSAGE,
    "assert.throws(f, { message: /bad separator/ })": lint.PINS_MESSAGE,
    "assert str(e.value) == 'bad separator'": lint.PINS_MESSAGE,
    "with raises(ValueError, match='^$'): ...": "",
}


READ_BY_PATH = {
    "tests/a.test.js": {
        "import { parse } from '../a.js'\nassert.match(parse.toString(), /x/); parse(1)": True,
        "const { parse: p } = require('../amounts')\nassert.equal(String(p).length, 3); p(1)": True,
        "import * as amounts from './amounts.js'\n`${amounts.known}`": True,
        "Function.prototype.toString.call(parse)": True,
        "import { ZERO } from '../amounts.js'\nassert.equal(ZERO.toString(), '0')": False,
        "import { Money } from '../amounts.js'\nassert.equal(new Money(1).toString(), '1')": False,
        "import { parse } from '../a.js'\nconst out = parse(1); assert.equal(`${out}`, '1')": False,
        "const run = require('node:child_process')\nrun.execSync('x').toString(); run()": False,
    },
    "tests/a.bats": {
        "[[ $(declare -f parse) == *sed* ]]": True,
        "while read -r line; do :; done < bin/tool": True,
        "text=$(<bin/tool)": True,
        '[ "$(cat bin/tool)" = x ]': True,
        "grep -qF -- '-u; -i: what (they) do' bin/tool": True,
        '[ "$(bin/tool 1)" = "$(cat expected)" ]': False,
        "diff <(bin/tool 1) expected": False,
        "bin/tool < input; grep -q foo out": False,
        "declare -f parse > /dev/null": False,
    },
    "tests/a.py": {
        "import amounts\nassert amounts.parse.__code__.co_names != ('int',)": True,
        "assert len(getattr(parse, '__code__').co_code) > 3": True,
        "import dis\ndis.dis(parse)": True,
        "from inspect import getsource as read\nread(parse)": True,
        "import inspect as i\ni.getsourcelines(parse)": True,
        "from pathlib import Path\nassert 'x' in Path(amounts.__file__).read_text()": True,
        "place = amounts.__file__\nwith open(place) as file: pass": True,
        "import inspect\nopen(inspect.getfile(parse))": True,
        "assert parse.__doc__ and parse.__name__ == 'parse'": False,
        "import inspect\nassert 'text' in inspect.signature(parse).parameters": False,
        "run([sys.executable, amounts.__file__])": False,
        "(Path(amounts.__file__).parent / 'rates.json').read_text()": False,
        "Path(__file__).with_name('case.txt').read_text()": False,
        "assert company.co_owner == 'x'  # unlike inspect.getsource(x)": False,
        "assert code.co_known": False,
    },
}


@for_each("path, text, is_reading", [
    (path, text, is_reading)
    for path, texts in READ_BY_PATH.items() for text, is_reading in texts.items()
])  # fmt: skip
def test_a_test_does_not_ask_how_the_product_is_written(
    path: str, text: str, *, is_reading: bool
) -> None:
    facts = make_facts(base="export function known() {}")
    rule = lint.lint_test(path, text, facts)[0]
    assert rule == (lint.READS_REPOSITORY if is_reading else "")
    about_code = make_facts(words="dis getsource __code__")
    assert not lint.lint_test("tests/a.py", "import dis\ndis.dis(f)", about_code)[0]


@for_each("text, rule", READ.items())
def test_a_test_speaks_of_what_users_know(text: str, rule: str) -> None:
    assert lint.lint_test("tests/a.py", text, make_facts())[0] == rule


def answer(text: str = "x", **more: object) -> dict[str, object]:
    test = {"path": "tests/a.py", "text": text, "check": {"pytest": ["tests/a.py"]}}
    return {"criteria": [{"text": "it", "tests": [test]}], "reference": {"a.py": "1"}, **more}


def read(raw: object) -> DraftAnswer:
    found = read_answer(raw)
    assert isinstance(found, DraftAnswer), found
    return found


def change(**more: object) -> dict[str, object]:
    test = {"path": "tests/a.py", "text": "x", "check": {"pytest": ["tests/a.py"]}} | more
    return {"criteria": [{"text": "it", "tests": [test]}], "reference": {"a.py": "1"}}


WRONG = {
    "criteria is missing": {},
    "expected a list": answer() | {"criteria": "x"},
    "a test lies in a folder": change(path="a.py", check={"pytest": ["a.py"]}),
    ".github/ci.yml: a test lies in": change(
        path=".github/ci.yml", check={"command": [".github/ci.yml"]}),
    "tests/conftest.py: a test lies in": change(
        path="tests/conftest.py", check={"pytest": ["tests/conftest.py"]}),
    "its check does not name it": change(check={"pytest": ["tests/other.py"]}),
    "runs no test": change(check={"file": "tests/a.py"}),
    "cannot fail": change(check={"metric": ["tests/a.py"]}),
    "leads out of the repository": change(path="../tests/a.py"),
    "without a solution": answer(reference={}),
    "goalkeeper's own files": answer(reference={".goalkeeper/config.toml": "x"}),
    "and not a part of a solution": answer(reference={"tests/a.py": "x"}),
    "two tests have this path": {
        **answer(),
        "criteria": [{"text": "it", "tests": [{"path": "tests/a.py", "text": "x",
                      "check": {"pytest": ["tests/a.py"]}}] * 2}],
    },
}  # fmt: skip


@for_each("said, raw", WRONG.items())
def test_an_answer_that_cannot_be_used_says_why(said: str, raw: Mapping[str, object]) -> None:
    problems = read_answer(raw)
    assert isinstance(problems, tuple), raw
    assert said in " ".join(map(str, problems)), problems


def test_faults_change_only_what_the_solution_changed() -> None:
    base = {"a.py": "limit = 10\n\n\ndef f(x):\n    return x\n", "b.py": "y = 1\n"}
    new = {"a.py": base["a.py"].replace("return x", "return x + 1 if x == 2 else x"), "b.py": None}
    faults = make_faults(base, new)
    assert 2 < len(faults) <= 2 * MOST_FAULTS
    assert all("limit = 10\n" in (fault.files["a.py"] or "") for fault in faults)
    assert len({str(fault.files) for fault in faults}) == len(faults)
    assert all(fault.files != new for fault in faults)
    assert {"b.py is as it was", "a.py is as it was"} <= {fault.told for fault in faults}
    assert make_faults({}, {"note.md": "# a comment\n"}) == []
