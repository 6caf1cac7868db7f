"""The keyword matrix: what asks for ultrawork, what ends it, and what only mentions it."""

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.hooks.keywords import (
    NEITHER,
    OFF,
    OFF_COMMAND,
    ON,
    ON_COMMAND,
    find_intent,
    keep_prose,
)
from goalkeeper.wire.hold import SENTINEL
from tests.tables import for_each

ASKS = [
    "ulw can you fix the tests?",
    "ulw stop leaking memory in the parser",
    "ultrawork: end-to-end tests for login",
    "ulw fix it, then stop ultrawork when done",
    "use the ultrawork mode",
    "ulw",
    "ULTRAWORK this",
    "fix tests, ulw.",
    "ulw: fix",
    "(ulw) fix",
    "let's go ulw!",
    'run "ulw" on this',
    "can you ulw this, please?",
    "rename the function foo to bar, ulw",
    "rename the function foo to bar ulw",
    "delete the old parser ulw",
    "add a flag to the parser. ulw",
    "remove the cache and ulw until the tests pass",
    "switch to ulw",
    "Please ultrawork the parser",
    "- ulw: fix the build",
    "# ulw",
    "The tests are red.\nulw",
    "Does it build? ulw until it does",
    "what is wrong here? ulw, please.",
    "\u200bulw\u200b fix",
    f"{ON_COMMAND} fix the build",
]
ENDS = [
    "abort ultrawork",
    "ultrawork: stop",
    "ulw stop",
    "no more ultrawork",
    "stop\nultrawork",
    "stop ulw and ultrawork",
    "ultrawork is done, stop",
    "let me out of ultrawork",
    "stop ultrawork?",
    "stop ultrawork",
    "disable ulw",
    "please turn off ultrawork now",
    "Ultrawork off",
    "ulw mode off, thanks",
    "cancel the ulw",
    OFF_COMMAND,
    f"  {OFF_COMMAND}  ",
]
MENTIONS = [
    "grep for ulw in src",
    "fix the ultrawork docs",
    "rename ulw to hold in docs",
    "rename the function ulw to foo",
    "rename foo to ulw",
    "replace every ulw by ultrawork",
    "remove ulw from the list of words",
    "add ulw to the glossary",
    "import ulw from the package",
    "fix the bug where ulw is not recognised",
    "write a test that ulw turns it on",
    "the variable ulw shadows another one",
    "If the build fails, stop ultrawork",
    "the button should say stop ultrawork",
    "<task-notification>echo stop ultrawork</task-notification>",
    "",
    "please fix the bulwark class",
    "StatefulWidget",
    "ulw-foo",
    "non-ulw",
    "ulw_foo",
    "ultraworking",
    "run ulw-plan first",
    "src/ulw/main.py",
    "./tools/ulw.sh",
    "https://x/ulw",
    "ulw/x",
    "refactor ulw.ts",
    "see x.ulw",
    "set mode:ulw",
    "ulw:mode",
    "#ulw",
    "@ulw",
    "don't ultrawork",
    "don’t ultrawork, just answer",
    "do not use ultrawork",
    "no ulw please",
    "without ulw, fix it",
    "never ever use ulw",
    "don't stop ultrawork",
    "what is ultrawork?",
    "What does ultrawork do",
    "how do I use ulw?",
    "why did ultrawork trigger here?",
    "is ulw on?",
    "```\nulw\n```",
    "```sh\nulw\n",
    "~~~\nulw fix\n~~~",
    "`ulw`",
    "``ulw fix``",
    "> ulw fix it",
    '"ulw"',
    'he said "use ulw now"',
    "they wrote “ulw” there",
    "<user>ulw do it</user> summarise this",
    "<system-reminder>ulw",
    "<!-- ulw -->",
    "$ ulw run",
    "+ulw",
    "-ulw",
    "/ulw fix",
    "/omo:ulw fix",
    "/help ulw",
    "하이ulw",
    "ulw하이",
    "ｕｌｗ",
    f"{SENTINEL} Ultrawork is active: ulw, block 3 of 8.",
]


@for_each("prompt", ASKS)
def test_who_asks_for_it_gets_it(prompt: str) -> None:
    assert find_intent(prompt) == ON


@for_each("prompt", ENDS)
def test_who_ends_it_is_free(prompt: str) -> None:
    assert find_intent(prompt) == OFF


@for_each("prompt", MENTIONS)
def test_who_only_mentions_it_asks_for_nothing(prompt: str) -> None:
    assert find_intent(prompt) == NEITHER


def test_what_the_user_says_beside_a_pasted_text_counts() -> None:
    assert find_intent("```\nulw\n```\nulw, please") == ON
    assert find_intent("> stop ultrawork\n\nulw") == ON
    assert find_intent(f"{SENTINEL} Block 1 of 8.\n\nulw") == ON


def test_the_last_request_counts() -> None:
    assert find_intent("ulw. No, wait: stop ultrawork") == OFF
    assert find_intent("stop ultrawork. Then ulw again") == ON


def test_a_long_prompt_is_read_to_its_end() -> None:
    assert find_intent("word " * 40_000 + "ulw") == ON


CODE = st.text(st.characters(exclude_characters="`~", codec="utf-8"), max_size=60)


@given(CODE, st.sampled_from(["```", "~~~"]))
def test_code_never_asks(code: str, fence: str) -> None:
    assert find_intent(f"Look at this:\n{fence}\nulw {code}\nulw\n{fence}\n") == NEITHER


@given(st.text(max_size=200))
def test_what_we_say_ourselves_never_asks(text: str) -> None:
    said = text.replace("\n\n", "\n")
    assert find_intent(f"{SENTINEL} {said} ulw") == NEITHER


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert find_intent(text) in {ON, OFF, NEITHER}
    assert "`ulw`" not in keep_prose(f"{text}\n\n`ulw`")


@given(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=5))
def test_a_part_of_a_word_is_no_word(letters: str) -> None:
    assert find_intent(f"{letters}ulw") == NEITHER
    assert find_intent(f"ulw{letters}") == NEITHER
