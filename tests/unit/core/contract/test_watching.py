"""What a check was seen to open belongs to the judge if its orders name it."""

from goalkeeper.core.contract.watching import find_judges, gives_orders
from tests.tables import for_each

SEEN = "check C1 was seen to use it"
CASES: dict[str, tuple[dict[str, str], set[str]]] = {
    "an include without the usual ending, and what it includes": (
        {
            "Makefile": "include build/rules\ntest:\n\tprog\n",
            "build/rules": "-include $(HERE)/more/*.conf # and so on\n",
            "build/more/a.conf": "x = 1\n",
            "build/more/b.txt": "",
        },
        {"build/rules", "build/more/a.conf"},
    ),
    "a script that runs a script": (
        {
            "Makefile": "test:\n\t@sh scripts/all.check\n\tsh ./scripts/run-checks.sh\n",
            "scripts/run-checks.sh": '"$HERE/verify" && python3 tools/assert_same.py\n',
            "scripts/verify": "",
            "tools/assert_same.py": "",
            "scripts/build.sh": "",
        },
        {"scripts/run-checks.sh", "scripts/verify", "tools/assert_same.py"},
    ),
    "scripts of a package, and no other words of it": (
        {
            "package.json": '{"scripts": {"test": "node tools/run-tests.mjs"}, "main": "check.js"}',
            "tools/run-tests.mjs": "",
            "check.js": "",
        },
        {"tools/run-tests.mjs"},
    ),
    "what is compiled, and what only tests name, may be the product": (
        {
            "Makefile": "SOURCES = src/check.c src/validate.py\n",
            "src/check.c": "",
            "src/validate.py": "",
            "tests/test_a.sh": ". ./check.sh\n",
            "check.sh": "",
        },
        set(),
    ),
}


@for_each("name", CASES)
def test_what_orders_name_decides(name: str) -> None:
    files, wanted = CASES[name]

    found = find_judges({"C1": files}, gives_orders, files.__getitem__)

    assert found == dict.fromkeys(wanted, SEEN)


def test_what_was_not_opened_decides_nothing() -> None:
    texts = {"Makefile": "include rules\n", "rules": ""}

    assert find_judges({"C1": ["Makefile"]}, gives_orders, texts.__getitem__) == {}
