"""The tests in source files: their names as in ids, and what makes two bodies the same."""

import textwrap

from goalkeeper.tamper.identity import read_bodies, read_suite
from goalkeeper.tamper.readers import read_tests
from goalkeeper.tamper.syntax import Source
from tests.tables import for_each


def python(source: str) -> dict[str, str]:
    return dict(read_bodies("tests/test_a.py", textwrap.dedent(source).encode()))


def javascript(source: str, path: str = "a.test.js") -> dict[str, str]:
    return dict(read_bodies(path, source.encode()))


def shell(source: str, path: str = "a.bats") -> dict[str, str]:
    return dict(read_bodies(path, textwrap.dedent(source).encode()))


def same(*sources: str) -> bool:
    found = [next(iter(python(source).values())) for source in sources]
    return len(set(found)) == 1


@for_each(
    ("path", "one", "other"),
    [
        (
            "test_a.py",
            "def test_a(x):\n    y = x\n    assert f(y) == 1\n",
            'def test_b(z):\n    """Told."""\n    y = z  # once\n    assert (f(y\n    ) == 1)\n',
        ),
        (
            "a.test.js",
            'it("a", () => { const y = "x"; /* once */ expect(f(y)).toBe(1); });',
            "it('b', () => {\n  const y = 'x';\n  // twice\n  expect(f(y)).toBe(1);\n});",
        ),
    ],
)
def test_equal_bodies_have_one_outline(path: str, one: str, other: str) -> None:
    files = [read_tests(Source(path, source), tree=None) for source in (one, other)]
    tests = [test for file in files if file for test in file.tests]

    assert len(tests) == 2
    assert len({test.body for test in tests}) == 1
    assert len({test.outline() for test in tests}) == 1


def test_python_names_are_those_of_pytest() -> None:
    found = python(
        """
        def helper(): pass
        def test_a(): pass
        async def test_b(): pass
        class TestX:
            def test_c(self): pass
            class TestY:
                def test_d(self): pass
        if True:
            def test_e(): pass
        try:
            pass
        except ImportError:
            def test_f(): pass
        """
    )

    assert list(found) == [
        *("test_a", "test_b", "TestX::test_c", "TestX::TestY::test_d", "test_e", "test_f")
    ]


def test_a_renamed_reformatted_and_commented_python_test_is_the_same() -> None:
    assert same(
        "def test_a(tmp_path):\n    assert f(tmp_path, 'test_a') == [1, 2]",
        'def test_b(tmp_path) -> None:\n    """Say."""\n    # why\n    assert f(\n'
        '        tmp_path, "test_b",\n    ) == [1, 2]',
        "class TestX:\n    @pytest.mark.slow\n    def test_c(self, tmp_path):\n"
        "        assert f(tmp_path, 'test_c') == [1, 2]",
    )


@for_each(
    "other",
    [
        "def test_a(x):\n    assert f(x) == 2",
        "def test_a(y):\n    assert f(x) == 1",
        "def test_a(x):\n    assert f(x)",
        "async def test_a(x):\n    assert f(x) == 1",
        "@mock.patch('m.f')\ndef test_a(x):\n    assert f(x) == 1",
        "@pytest.mark.parametrize('x', [1])\ndef test_a(x):\n    assert f(x) == 1",
    ],
)
def test_a_python_test_that_does_something_else_is_another(other: str) -> None:
    assert not same("def test_a(x):\n    assert f(x) == 1", other)


@for_each(
    ("source", "own", "other"),
    [
        ("def OWN():\n    assert run('calc OWN') == 3", "test_add", "test_sub"),
        ("def OWN():\n    assert m.OWN() == 3", "test_add", "test_sub"),
        ("class OWN:\n    def test_x(self):\n        assert m.OWN(1) == 3", "TestA", "TestB"),
        ("class OWN:\n    def test_x(self):\n        assert f(OWN=1) == 3", "rate", "tare"),
    ],
)
def test_only_variables_and_whole_strings_are_a_tests_own_name(
    source: str, own: str, other: str
) -> None:
    assert not same(source.replace("OWN", own), source.replace("OWN", other))


def test_javascript_names_are_paths_of_titles() -> None:
    found = javascript(
        r"""
        import { test } from 'node:test';
        test('a', () => { ok(1); });
        test('it\'s \u0062 \\', { skip: true }, async () => { ok(2); });
        describe(`group`, function () {
          it.only("c", () => { ok(3); });
          describe.skip('inner', () => { it('d', done => { ok(4); done(); }); });
          it('c', () => { ok(5); });
        });
        test('parent', async (t) => { await t.test('child', () => { ok(6); }); });
        it.each([[1, 2]])('adds %d', (a, b) => { ok(7); });
        it.todo('later');
        if (pattern.test('text')) { run('x', () => {}); }
        """
    )

    assert list(found) == [
        *("a", "it's b \\", "group > c", "group > inner > d", "group > c #2"),
        *("parent", "parent > child", "adds %d"),
    ]
    assert len(set(found.values())) == len(found)


def test_a_renamed_reformatted_and_commented_javascript_test_is_the_same() -> None:
    old = javascript("test('a', () => { ok( f('x y') ); });")
    new = javascript("it.skip('b', () => {\n  // why\n  ok(f('x y')); /* so */\n});")

    assert list(old.values()) == list(new.values())
    assert list(javascript("test('a', () => { ok(f('x  y')); });").values()) != list(old.values())


@for_each(
    ("one", "other"),
    [
        ("return expect(f()).toBe(1);", "return; expect(f()).toBe(1);"),
        ("if (x); expect(f()).toBe(1)", "if (x) expect(f()).toBe(1)"),
        ("while (x); expect(f()).toBe(1)", "while (x) expect(f()).toBe(1)"),
        ("a = 1; -1; expect(a).toBe(0)", "a = 1 - 1; expect(a).toBe(0)"),
    ],
)
def test_a_semicolon_in_javascript_is_part_of_what_is_done(one: str, other: str) -> None:
    old, new = (javascript(f"it('a', () => {{{body}}});") for body in (one, other))

    assert list(old) == list(new) == ["a"]
    assert old != new


def test_the_table_of_a_javascript_test_is_part_of_it() -> None:
    one, two = (javascript(f"it.each([{n}])('a', (x) => {{ ok(x); }});") for n in (1, 2))

    assert one != two


@for_each("path", ["a.test.ts", "a.spec.mts", "a.test.tsx"])
def test_typescript(path: str) -> None:
    assert list(javascript("test('a', (): void => { const x: number = 1; ok(x as any); });", path))


def test_bats_names_and_functions() -> None:
    found = shell(
        """
        setup() { load helper; }
        @test "adds \\"two\\"" {
          run add 1 2
          [ "$output" = "3" ]
        }
        @test 'subtracts' { # why
          run subtract 1 2
        }
        """
    )

    assert list(found) == ["setup", 'adds "two"', "subtracts"]


def test_titles_in_shell_in_any_script() -> None:
    found = shell('@test "grüße \U0001f600" {\n true\n}\nis "$(greet)" "日本" "名前"\n')

    assert set(found) == {"grüße \U0001f600", "$(greet)", "日本", "名前"}
    assert shell('is a "Ä" "t"')["t"] != shell('is a "Ö" "t"')["t"]


def test_a_renamed_reformatted_and_commented_shell_test_is_the_same() -> None:
    old = shell('@test "a" {\n run add 1 2\n [ "$output" = "x  y" ]\n}\n')
    new = shell('@test "b" {\n\n  run  add 1 2; # so\n  [ "$output" = "x  y" ]\n}\n')
    other = shell('@test "b" {\n run add 1 2\n [ "$output" = "x y" ]\n}\n')

    assert list(old.values()) == list(new.values()) != list(other.values())
    assert shell("a() { echo x$y; }", "a.sh") != shell("a() { echo x $y; }", "a.sh")


@for_each("path", ["a.bats", "a.sh"])
def test_of_two_shell_functions_of_one_name_the_later_one_counts(path: str) -> None:
    assert shell("test_a() {\n x\n}\ntest_a() {\n y\n}\n", path) == shell(
        "test_a() {\n y\n}\n", path
    )


def test_a_script_is_known_by_its_first_line() -> None:
    assert list(shell("#!/usr/bin/env bash\ntest_a() { true; }\n".lstrip(), "run-tests")) == [
        "test_a"
    ]


@for_each(
    ("path", "source"),
    [
        ("test_a.py", b"def test_a(:"),
        ("test_a.py", b"def test_a(): pass\0"),
        ("test_a.py", b"\xff\xfe"),
        ("test_a.py", b"x = " + b"(" * 5000 + b")" * 5000),
        ("test_a.py", b"x = " + b"-" * 100_000 + b"1"),
        ("a.test.js", b"test('a', () => {"),
        ("a.bats", b'@test "a" {\n if true\n}\n'),
        ("a.test.js", b"test('a', () => {});" + b" " * 1024 * 1024),
        # Without a limit, minutes and gigabytes:
        ("a.test.tsx", b"\"\xcc\xbb@test 'a' {|/\n/(\xd7\xad}}def test_a():\xdb\x82\\`"),
        ("test_a.rb", b"def test_a; end"),
        ("Makefile", b"test:\n"),
    ],
)
def test_what_cannot_be_parsed_has_no_tests(path: str, source: bytes) -> None:
    assert read_bodies(path, source) == {}


def test_a_strange_escape_in_python_is_no_concern_of_ours() -> None:
    assert list(python('def test_a(): "\\d"')) == ["test_a"]


def test_deep_titles_are_not_followed_for_ever() -> None:
    source = "describe('x', () => {" * 300 + "it('a', () => {});" + "});" * 300

    assert len(javascript(source)) <= 1


def test_the_tests_of_a_suite_are_keyed_by_file() -> None:
    files = {"b.test.js": b"test('x', () => {});", "test_a.py": b"def test_x(): pass"}

    assert list(read_suite(files)) == ["b.test.js::x", "test_a.py::test_x"]
