"""Which settings of a repository count: a pure rule, with a row for each part that needs trust."""

import tomllib

from goalkeeper.app.trust import CEILINGS, decide_settings, digest_parts, list_risky_parts
from goalkeeper.config import Settings, parse_settings_table
from tests.tables import for_each

# What a config.toml may say, the name of the part, and where it is gone without trust.
RISKY = {
    '[witness]\nisolation = "none"': "witness.isolation",
    '[witness]\nisolation = "checkout"': "witness.isolation",
    '[witness]\nenv = ["AWS_SECRET_ACCESS_KEY"]': "witness.env",
    '[witness]\nfetch = [["curl", "evil"]]': "witness.fetch",
    '[witness]\nsetup = [["curl", "evil"]]': "witness.setup",
    '[verify]\ncommands = [["make", "test", "SHELL=./x"]]': "verify.commands",
    '[verify]\ncommands = [["./make", "test"]]': "verify.commands",
    '[replay]\nallow = [["**"]]': "replay.allow",
    "[hold]\nprotect = false": "hold.protect",
    '[hold]\nstop_hook_active = "yield"': "hold.stop_hook_active",
    **{
        "[{}]\n{} = 100000000".format(*name.split(".")): f"{name} above {most}"
        for name, most in CEILINGS.items()
    },
}
HARMLESS = (
    "",
    '[witness]\nisolation = "sandbox"\ntimeout = 3600\nmemory_mb = 16384',
    '[verify]\ncommands = [["make", "test"], ["npm", "run", "lint"], ["ruff", "check"]]',
    '[agents]\ndefault = "claude"',
    '[hold]\nmax_blocks = 100\nminutes = 1440\nvendor_goal = "hold"',
    "[judge]\nmax_iterations = 99\nrepeats = 9\nheld_out_reports = 9",
)


def read(text: str) -> Settings:
    found = parse_settings_table(tomllib.loads(text))
    assert isinstance(found, Settings), found
    return found


@for_each("text", RISKY)
def test_what_runs_or_loosens_is_left_out_until_it_is_trusted(text: str) -> None:
    settings = read(text)
    digest = digest_parts(list_risky_parts(settings))

    counted = decide_settings(settings, lambda _: False)

    assert counted.left_out == (RISKY[text],)
    assert counted.witness.isolation == "sandbox"
    assert list_risky_parts(counted.replace(left_out=())) == {}
    assert decide_settings(settings, digest.__eq__) == settings


@for_each("text", HARMLESS)
def test_the_rest_counts_as_it_is(text: str) -> None:
    settings = read(text)

    assert decide_settings(settings, lambda _: False) == settings
    assert digest_parts(list_risky_parts(settings)) == ""


def test_the_digest_changes_with_what_needs_trust_and_with_nothing_else() -> None:
    digests = {digest_parts(list_risky_parts(read(text))) for text in RISKY}
    one = '[witness]\nenv = ["A"]'
    same = [one, f"# mine\n{one}\ntimeout = 5", f'{one}\n[verify]\ncommands = [["make", "test"]]']

    assert len(digests) == len(RISKY)
    assert len({digest_parts(list_risky_parts(read(text))) for text in same}) == 1
