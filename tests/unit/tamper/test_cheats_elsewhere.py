"""Tests of JavaScript, shell and other languages, made to say yes."""

# ruff: noqa: E501  a case is one line

from tests.unit.tamper.diffs import added, changed, judged

BASE = """\
import { rate } from "../rate";

describe("rate", () => {
  it("rates ten", () => {
    const result = rate(10);
    expect(result).toBe(3);
    expect(rate(11)).toBeCloseTo(3.66, 2);
  });
  it("refuses", () => {
    expect(() => rate(-1)).toThrow("must not be negative");
  });
  it.each([[1, 0], [10, 3]])("rates %d", (n, m) => {
    expect(rate(n)).toEqual(m);
  });
});
"""

TEN = 'it("rates ten"'
CHEATS = {
    "skip": (TEN, 'it.skip("rates ten"', "skip-added"),
    "xit": (TEN, 'xit("rates ten"', "skip-added"),
    "todo": (TEN, 'it.todo("rates ten"', "skip-added"),
    "fails": (TEN, 'it.fails("rates ten"', "skip-added"),
    "a group": ('describe("rate"', 'describe.skip("rate"', "skip-added"),
    "an option": ('"rates ten", ()', '"rates ten", { skip: true }, ()', "skip-added"),
    "a call": ("    const result", "    this.skip();\n    const result", "skip-added"),
    "only": (TEN, 'it.only("rates ten"', "focus-added"),
    "fit": (TEN, 'fit("rates ten"', "focus-added"),
    "a group only": ('describe("rate"', 'describe.only("rate"', "focus-added"),
    "truthy": ("expect(result).toBe(3)", "expect(result).toBeTruthy()", "assertion-weakened"),
    "defined": ("expect(result).toBe(3)", "expect(result).toBeDefined()", "assertion-weakened"),
    "not": ("expect(result).toBe(3)", "expect(result).not.toBe(4)", "assertion-weakened"),
    "true": ("expect(result).toBe(3)", "expect(true).toBe(true)", "test-cannot-fail"),
    "itself": ("expect(result).toBe(3)", "expect(result).toBe(result)", "test-cannot-fail"),
    "another value": ("toBe(3)", "toBe(4)", "expectation-changed"),
    "a wider tolerance": ("(3.66, 2)", "(3.66, 0)", "assertion-weakened"),
    "a looser pattern": ('"must not be negative"', '""', "assertion-weakened"),
    "gone": ("    expect(result).toBe(3);\n", "", "assertion-weakened"),
    "a comment": ("    expect(result)", "    // expect(result)", "assertion-weakened"),
    "a return": ("    expect(result)", "    return;\n    expect(result)", "test-cannot-fail"),
    "caught": (
        "    expect(result).toBe(3);",
        "    try {\n      expect(result).toBe(3);\n    } catch {}",
        "test-cannot-fail",
    ),
    "on a condition": (
        "    expect(result).toBe(3);",
        "    if (result) {\n      expect(result).toBe(3);\n    }",
        "assertion-weakened",
    ),
    "a case": ("[[1, 0], [10, 3]]", "[[1, 0]]", "assertion-weakened"),
    "a mock": (
        "    const result",
        '    vi.spyOn(lib, "rate");\n    const result',
        "subject-mocked",
    ),
    "a mocked module": (
        'describe("rate"',
        'vi.mock("../rate");\ndescribe("rate"',
        "subject-mocked",
    ),
    "a test": (
        '  it("refuses", () => {\n    expect(() => rate(-1)).toThrow("must not be negative");\n  });\n',
        "",
        "test-removed",
    ),
}


def test_a_weaker_script_test_is_seen() -> None:
    assert all(old in BASE for old, _, _ in CHEATS.values())
    missed = [
        (name, ending)
        for name, (old, text, rule) in CHEATS.items()
        for ending in ("js", "ts", "tsx", "mjs")
        if rule not in judged(changed(f"test/a.test.{ending}", BASE, BASE.replace(old, text)))[0]
    ]

    assert missed == []


NODE = """\
const assert = require("node:assert");
test("ten", () => {
  assert.strictEqual(rate(10), 3);
});
"""


WEAK = {
    "assert.ok(rate(10))": "assertion-weakened",
    "assert.strictEqual(rate(10), 4)": "expectation-changed",
    "assert.strictEqual(rate(10), rate(10))": "test-cannot-fail",
    "rate(10)": "test-cannot-fail",
}


def test_a_weaker_assert_is_seen() -> None:
    for weak, rule in WEAK.items():
        text = NODE.replace("assert.strictEqual(rate(10), 3)", weak)

        assert judged(changed("test/rate.test.js", NODE, text))[0] == {rule}


GO = """\
package rate

func TestTen(t *testing.T) {
	if Rate(10) != 3 {
		t.Fatal("ten")
	}
}

func TestZero(t *testing.T) {
	if Rate(0) != 0 {
		t.Fatal("zero")
	}
}
"""
JAVA = """\
class RateTest {
    @Test
    void ten() {
        assertEquals(3, Rate.of(10));
    }
}
"""
RUBY = """\
describe Rate do
  it "rates ten" do
    expect(rate(10)).to eq(3)
  end
end
"""
BATS = '@test "ten" {\n  run rate 10\n  [ "$output" = 3 ]\n}\n'
RUST = "#[test]\nfn ten() {\n    assert_eq!(rate(10), 3);\n}\n"
SHELL = 'set -e\nout=$(rate 10)\n[ "$out" = 3 ] || exit 1\n'

OTHERS = {
    "go skip": (
        "rate_test.go",
        GO,
        GO.replace("\tif Rate(10)", '\tt.Skip("x")\n\tif Rate(10)'),
        "skip-added",
    ),
    "go removed": ("rate_test.go", GO, GO.partition("func TestZero")[0], "test-removed"),
    "java disabled": (
        "RateTest.java",
        JAVA,
        JAVA.replace("@Test", "@Test\n    @Disabled"),
        "skip-added",
    ),
    "java emptied": (
        "RateTest.java",
        JAVA,
        JAVA.replace("        assertEquals(3, Rate.of(10));\n", ""),
        "test-cannot-fail",
    ),
    "java value": ("RateTest.java", JAVA, JAVA.replace("(3,", "(4,"), "expectation-changed"),
    "ruby skip": (
        "rate_spec.rb",
        RUBY,
        RUBY.replace("    expect", "    skip\n    expect"),
        "skip-added",
    ),
    "ruby xit": ("rate_spec.rb", RUBY, RUBY.replace("  it ", "  xit "), "skip-added"),
    "rust ignore": (
        "tests/rate_test.rs",
        RUST,
        RUST.replace("#[test]", "#[test]\n#[ignore]"),
        "skip-added",
    ),
    "bats skip": ("tests/rate.bats", BATS, BATS.replace("  run", "  skip\n  run"), "skip-added"),
    "bats gone": (
        "tests/rate.bats",
        BATS,
        BATS.replace('  [ "$output" = 3 ]\n', ""),
        "assertion-weakened",
    ),
    "bats value": ("tests/rate.bats", BATS, BATS.replace("= 3", "= 4"), "expectation-changed"),
    "shell gone": (
        "tests/test_rate.sh",
        SHELL,
        SHELL.replace('[ "$out" = 3 ] || exit 1\n', ""),
        "test-cannot-fail",
    ),
}


def test_a_weaker_test_in_another_language_is_seen() -> None:
    for name, (path, old, text, rule) in OTHERS.items():
        assert rule in judged(changed(path, old, text))[0], name


def test_a_script_helper_in_another_file_counts() -> None:
    helper = "export function check(n, m) {\n  expect(rate(n)).toBe(m);\n}\n"
    test = 'import { check } from "./helpers";\ntest("ten", () => {\n  check(10, 3);\n});\n'
    before = 'test("ten", () => {\n  expect(rate(10)).toBe(3);\n});\n'
    weaker = changed("test/helpers.js", helper, helper.replace("toBe(m)", "toBeTruthy()"))
    beside = {"test/rate.test.js": test}

    assert (
        judged(changed("test/rate.test.js", before, test), added("test/helpers.js", helper))[0]
        == set()
    )
    assert judged(weaker, beside=beside, tests=[*beside])[0] == {"assertion-weakened"}
