"""Every rule that a finding can name: rules that read the change, and rules of the proof."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.core.contract.findings import Level
from goalkeeper.core.plan.gate import TOOL_MOVED
from goalkeeper.tamper.rule import Family, Rule
from goalkeeper.tamper.rules import RULES

_SCOPE, _MANIFEST, _PROOF = Family.SCOPE, Family.MANIFEST, Family.PROOF
_BLOCKING, _ADVISORY = Level.BLOCKING, Level.ADVISORY
_ASKED = "The contract asks for it."

OF_THE_PROOF: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule("test-vanished", _PROOF, _BLOCKING, "A test of the base no longer runs.",
             "A test that is not there cannot fail.",
             "tests/test_rate.py::test_rate_of_ten ran on the base, and not on the candidate.",
             "Put it back, keep its body if you rename it, or have its id under may_change."),
        Rule("test-skipped-now", _PROOF, _BLOCKING, "A test that ran on the base is skipped now.",
             "A test that does not run proves nothing.",
             "tests/test_rate.py::test_rate_of_ten passed on the base and is skipped now.",
             "Let it run again, or have its id under may_change."),
        Rule("test-proves-nothing", _PROOF, _ADVISORY, "A new test passes on the base's code, too.",
             "It would have passed without the work.",
             "A new test asserts that rate(0) is 0, which it always was.",
             "Nothing, if it is there for other reasons; it does not count as proof."),
        Rule("scope-touch", _SCOPE, _BLOCKING, "A file outside the contract's scope was changed.",
             "What the goal is not about belongs into another change.",
             "scope: {touch: [src/**]}, and docs/index.md was changed.",
             "Undo the change of that file, or ask a human to amend the contract."),
        Rule("scope-never", _SCOPE, _BLOCKING, "A file was changed that the contract forbids.",
             "The contract says never to touch it.",
             "scope: {never: [.github/**]}, and .github/workflows/ci.yml was changed.",
             "Undo the change of that file."),
        Rule("manifest-expected-paths", _MANIFEST, _BLOCKING, "An expected file is missing.",
             _ASKED, "manifest: {expected_paths: [src/parse.py]}, and there is no such file.",
             "Make the file."),
        Rule("manifest-forbidden-paths", _MANIFEST, _BLOCKING, "A forbidden file was changed.",
             _ASKED, "manifest: {forbidden_paths: [src/old.py]}, and src/old.py was changed.",
             "Undo the change of that file."),
        Rule("manifest-must-contain", _MANIFEST, _BLOCKING, "A file lacks what it must contain.",
             _ASKED, 'manifest: {must_contain: [{path: a.py, pattern: "def b"}]}: not in a.py',
             "Write what is missing."),
        Rule("manifest-commit-message-pattern", _MANIFEST, _BLOCKING,
             "No commit since the base has the message that was asked for.",
             _ASKED, 'manifest: {commit_message_pattern: "^feat"}, and the only commit says "wip".',
             "Commit the work with such a message."),
        Rule("manifest-bash-syntax-check", _MANIFEST, _BLOCKING, "bash cannot parse a script.",
             _ASKED, "manifest: {bash_syntax_check: [bin/*.sh]}, and bin/run.sh lacks a fi.",
             "Mend the script."),
        Rule(TOOL_MOVED, _PROOF, _BLOCKING, "A program of a check is another one than before.",
             "A program put earlier on PATH can say anything.",
             "make was /usr/bin/make when the contract was frozen, and is /tmp/bin/make now",
             "Use the PATH of then; after an upgrade a human amends the contract."),
        Rule("protected-edited", _PROOF, _ADVISORY, "A protected file was changed, to no effect.",
             "It decides what checks say, so base's was used instead.",
             "verify.sh, which a check runs, was changed.",
             "Undo the change, or ask for it under may_change."),
        Rule("more-findings", _PROOF, _BLOCKING, "There are more findings than were listed.",
             "A ledger line holds a hundred of them.", "4 more findings are not listed",
             "See to those that are listed, then judge again."),
    )
}  # fmt: skip

ALL_RULES: Mapping[str, Rule] = {**RULES, **OF_THE_PROOF}
