"""Events of drafts and of answers to findings, by chance."""

from hypothesis import strategies as st

from goalkeeper.core.contract.findings import FindingAnswer
from goalkeeper.core.draft.model import Draft, DraftedTest, Examiner, Opinion, Standing
from goalkeeper.core.plan import events
from goalkeeper.core.plan.events import Event
from tests.property.strategies import (
    id_tuples,
    ids,
    marks,
    marks_or_none,
    numbers,
    records,
    words,
)

_examiners = st.builds(
    Examiner, numbers, numbers, marks, records, words, marks_or_none, id_tuples, marks_or_none
)
_opinions = st.builds(Opinion, marks_or_none, words, words, marks, records, words, marks_or_none)
_tests = st.builds(
    DraftedTest, ids, words, numbers, st.sampled_from(Standing), marks_or_none, words,
    held_out=st.booleans(), killed=numbers,
)  # fmt: skip
_drafts = st.builds(
    Draft, marks, st.lists(_tests, max_size=2).map(tuple), numbers, numbers, numbers, numbers,
    id_tuples, id_tuples, names=id_tuples, accepted_by=marks_or_none,
)  # fmt: skip
_answers = st.builds(
    FindingAnswer, marks, words, st.lists(words, max_size=2).map(tuple), words, marks, marks
)

DRAFT_EVENTS: dict[type[Event], st.SearchStrategy[Event]] = {
    events.ExaminerAnswered: st.builds(events.ExaminerAnswered, ids, _examiners),
    events.ContractDrafted: st.builds(events.ContractDrafted, ids, _drafts),
    events.ContractChallenged: st.builds(events.ContractChallenged, ids, _opinions),
    events.FindingAnswered: st.builds(events.FindingAnswered, ids, _answers),
}
