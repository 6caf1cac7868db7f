"""Master plans and session specs are read with line numbers, and every problem at once.

A plan is Markdown in the form of a master plan or of session specs, or YAML with the same names.
Reading is lenient about form. Whether the plan is any good is for the critic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from goalkeeper.core.campaign.contracts import synthesize_manifest
from goalkeeper.core.campaign.labelled_fields import WrittenField, report_line
from goalkeeper.core.campaign.markdown import Fence, TextLine, cut_bullet, split_lines
from goalkeeper.core.campaign.outline import (
    WrittenPart,
    WrittenPlan,
    WrittenStep,
    outline_markdown,
)
from goalkeeper.core.campaign.outline_yaml import looks_like_yaml, outline_yaml
from goalkeeper.core.campaign.plan import Complexity, MasterPlan, PlannedSession, PlannedStep
from goalkeeper.core.campaign.session_manifest import (
    ManifestEntries,
    compare_manifest,
    read_entries,
    read_version,
)
from goalkeeper.core.campaign.written_commands import read_entry, read_exit, read_verify
from goalkeeper.core.campaign.written_fields import (
    list_lines,
    read_checkpoint,
    read_choice,
    read_manifest,
    read_model,
    read_on_failure,
    read_paths,
    read_prose,
    read_references,
    report_placeholder,
    says_none,
)
from goalkeeper.core.problems import Problem
from goalkeeper.core.schema import Notes
from goalkeeper.wire.pattern import late_pattern

SESSIONS_LIMIT = 2000
STEPS_LIMIT = 10_000
LINE_LIMIT = 20_000  # letters; some patterns need the square of it
_CONTROL = late_pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def read_plan(text: str, path: str = "") -> MasterPlan | tuple[Problem, ...]:
    """Read a master plan or one session spec; return everything that is wrong if something is."""
    notes = Notes("plan")
    written = _outline_text(text, notes)
    if not notes.problems and not written.steps and not written.sessions:
        report_line(notes, 0, "it has no steps; a step begins with `Step 1: title`")
    plan = _make_plan(written, path)
    return tuple(notes.problems) or plan


def read_specs(texts: Mapping[str, str]) -> MasterPlan | tuple[Problem, ...]:
    """Read session specs that make a plan together, each by the name of its file."""
    whole = WrittenPlan(Notes("specs"))
    told = {name: Notes("spec") for name in sorted(texts)}
    for name, notes in told.items():
        spec = _outline_text(texts[name], notes)
        if not notes.problems and not spec.sessions:
            report_line(notes, 0, "it is no session spec; one begins with `Session 1: title`")
        for step in spec.steps[:1]:
            report_line(notes, step.line, "this step belongs to no session")
        whole.sessions += spec.sessions
    if not texts:
        report_line(whole.notes, 0, "there is none; a session spec is a file such as S01.md")
    whole.sessions.sort(key=lambda part: part.number)
    _check_totals(whole)
    plan = _make_plan(whole, "")
    problems = [
        problem.replace(where=name if problem.where == "spec" else f"{name}, {problem.where}")
        for name, notes in told.items()
        for problem in notes.problems
    ]
    return (*whole.notes.problems, *problems) or plan


def _outline_text(text: str, notes: Notes) -> WrittenPlan:
    lines = split_lines(text)
    _check_letters(lines, notes)
    if notes.problems:
        return WrittenPlan(notes)
    if not any(map(str.strip, lines)):
        report_line(notes, 0, "it is empty")
        return WrittenPlan(notes)
    return outline_yaml(lines, notes) if looks_like_yaml(lines) else outline_markdown(lines, notes)


def _check_letters(lines: list[str], notes: Notes) -> None:
    for number, line in enumerate(lines, 1):
        control = _CONTROL.search(line)
        if control:
            code = f"U+{ord(control[0]):04X}"
            report_line(notes, number, f"it has the character {code}, which no plan needs")
        if len(line) > LINE_LIMIT:
            message = f"the line has {len(line)} letters; at most {LINE_LIMIT} are read"
            report_line(notes, number, message)


def _check_totals(whole: WrittenPlan) -> None:
    """Check that the specs of one plan are all here, if they say how many there are."""
    totals = {part.total: part for part in whole.sessions if part.total}
    if len(totals) > 1:
        said = ", ".join(str(total) for total in sorted(totals))
        report_line(whole.notes, 0, f"they do not agree on how many sessions there are: {said}")
    elif totals and len(whole.sessions) < (total := next(iter(totals))):
        here = ", ".join(str(part.number) for part in whole.sessions)
        report_line(whole.notes, 0, f"there should be {total} sessions, and only {here} are here")


def _make_plan(written: WrittenPlan, path: str) -> MasterPlan:
    """Make a plan of what was written; with problems it is not for use."""
    _check_limits(written)
    parts, fields, notes = written.sessions, written.fields, written.notes
    _check_unique([(part.number, part.line, part.notes) for part in parts], "Session")
    free = {step.number: step for step in _read_steps(written)}
    sessions = [_read_session(part, free) for part in parts]
    manifests = [_read_session_manifest(part) for part in parts]
    for part, session, manifest in zip(parts, sessions, manifests, strict=True):
        if manifest:
            compare_manifest(manifest, session, part.notes)
    _check_version(written)
    version = _find_version(written, manifests)
    _check_sections(parts, version)
    return MasterPlan(
        path=path or _find_origin(parts),
        title=_find_title(written, path),
        version=version,
        context=read_prose(fields.get("context"), "context", notes),
        goals=_read_goals(written),
        steps=tuple(free.values()),
        sessions=_join_sessions(parts, sessions),
        shared=read_paths(fields.get("shared files"), "shared files", notes),
    )


def _check_limits(written: WrittenPlan) -> None:
    sessions = len(written.sessions)
    steps = len(written.steps) + sum(len(part.steps) for part in written.sessions)
    if sessions > SESSIONS_LIMIT or steps > STEPS_LIMIT:
        message = (
            f"it has {sessions} sessions and {steps} steps; "
            f"at most {SESSIONS_LIMIT} and {STEPS_LIMIT} make a plan"
        )
        report_line(written.notes, 0, message)
        written.sessions, written.steps = [], []


def _check_unique(numbers: Iterable[tuple[int, int, Notes]], kind: str) -> None:
    met: set[int] = set()
    for number, line, notes in numbers:
        if number in met:
            report_line(notes, line, f"there is a {kind} {number} already")
        met.add(number)


def _read_steps(part: WrittenPart) -> tuple[PlannedStep, ...]:
    _check_unique([(step.number, step.line, part.notes) for step in part.steps], "Step")
    known = {step.number for step in part.steps}
    return tuple(_read_step(step, known, part.notes) for step in part.steps)


def _read_step(step: WrittenStep, known: set[int], notes: Notes) -> PlannedStep:
    find = step.fields.get
    _check_title(step.title, step.line, f"Step {step.number}", notes)
    policy, instructions = read_on_failure(find("on failure"), notes)
    manifest, _ = read_manifest(find("manifest"), notes)
    before = read_references(find("depends on"), "step", "depends on", notes)
    for number, line in before.items():
        if number == step.number:
            report_line(notes, line, f"Step {number} depends on itself")
        elif number not in known:
            report_line(notes, line, f"depends on: there is no Step {number}")
    read = PlannedStep(
        number=step.number,
        title=step.title,
        files=read_paths(find("files"), "files", notes),
        changes=read_prose(find("changes"), "changes", notes),
        reuses=read_prose(find("reuses"), "reuses", notes),
        test_first=read_prose(find("test first"), "test first", notes),
        verify=read_verify(find("verify"), notes),
        contract=step.contract,
        on_failure=policy,
        instructions=instructions,
        checkpoint=read_checkpoint(find("checkpoint"), notes),
        manifest=manifest,
        depends_on=tuple(before),
        goal=read_prose(find("goal"), "goal", notes) or step.goal,
        line=step.line,
    )
    # A session spec prints what was made for a legacy step, and that is no manifest of its own.
    is_made = "legacy_synthesis" in manifest and manifest == synthesize_manifest(read)
    return read.replace(manifest="") if is_made else read


def _check_title(title: str, line: int, name: str, notes: Notes) -> None:
    if not title.strip():
        report_line(notes, line, f"{name} has no title")
    report_placeholder(title, line, f"the title of {name}", notes)


def _read_session(part: WrittenPart, free: dict[int, PlannedStep]) -> PlannedSession:
    """Read a session; steps of the plan that it names are no longer free."""
    notes, find = part.notes, part.fields.get
    name = f"Session {part.number}"
    if not part.number:
        report_line(notes, part.line, "sessions are counted from 1")
    _check_title(part.title, part.line, name, notes)
    steps = _read_steps(part) or _take_steps(part, free)
    if not steps:
        report_line(notes, part.line, f"{name} has no steps")
    entry, entry_commands = read_entry(find("entry condition"), notes)
    model, rationale = read_model(find("model"), notes)
    return PlannedSession(
        id=_name_session(part.number),
        title=part.title,
        steps=steps,
        context=read_prose(find("context"), "context", notes),
        entry=entry,
        entry_commands=entry_commands,
        touch=read_paths(find("touch"), "touch", notes),
        never=read_paths(find("never touch"), "never touch", notes, skip_outside=True),
        exit=read_exit(find("exit condition"), notes),
        handoff=read_prose(find("handoff state"), "handoff state", notes),
        complexity=_read_complexity(find("complexity"), notes),
        model=model,
        rationale=rationale,
        line=part.line,
    )


def _name_session(number: int) -> str:
    return f"S{number:02d}"


def _take_steps(part: WrittenPart, free: dict[int, PlannedStep]) -> tuple[PlannedStep, ...]:
    """Take the steps of the plan that a session names by their numbers."""
    numbers = read_references(part.fields.get("step numbers"), "step", "steps", part.notes)
    for number, line in numbers.items():
        if number not in free:
            message = f"steps: the plan has no Step {number}, or another session has it"
            report_line(part.notes, line, message)
    return tuple(free.pop(number) for number in numbers if number in free)


def _read_complexity(field: WrittenField | None, notes: Notes) -> Complexity:
    if field is None or says_none(field.text):
        return Complexity.MEDIUM
    word = field.text.split()[0].strip("*_`.,;:—")
    if field.text.startswith("{"):
        report_line(notes, field.line, "the complexity is still the template's choice")
        return Complexity.MEDIUM
    return read_choice(word, Complexity.MEDIUM, "complexity", field.line, notes)


def _read_session_manifest(part: WrittenPart) -> ManifestEntries | None:
    """Read the session manifest, if there is one; it may be fenced or stand as it is."""
    field = part.fields.get("session manifest")
    fences = [piece for piece in field.pieces if isinstance(piece, Fence)] if field else []
    if field is None:
        return None
    if fences:
        text, first = fences[0].content, fences[0].number + 1
    else:
        lines = [piece for piece in field.pieces if isinstance(piece, TextLine)]
        starts = [n for n, line in enumerate(lines) if line.text.strip() == "session_manifest:"]
        if not starts:
            return None
        kept = lines[starts[0] :]
        text, first = "\n".join(line.text for line in kept), kept[0].number
    read = read_entries(text, first)
    if isinstance(read, Problem):
        part.report(int(read.where.removeprefix("line ")), read.message)
        return None
    return read


def _check_version(written: WrittenPlan) -> None:
    """Check that a version is one: without any, a plan is a legacy plan, and held to less."""
    for part in (written, *written.sessions):
        field = part.fields.get("plan version")
        if field and not part.version:
            words = " ".join(field.text.split())
            part.report(field.line, f"plan version: '{words[:60]}' is none; write 1.7")


def _find_version(written: WrittenPlan, manifests: Iterable[ManifestEntries | None]) -> str:
    """Find the one version that the plan has; it is a legacy plan if nobody says one."""
    found = written.version or None
    for part, manifest in zip(written.sessions, manifests, strict=True):
        said = read_version(manifest) if manifest else None
        for version in (part.version or None, said):
            if version is not None and found is not None and version != found:
                shown = [
                    f"version {each}" if each else "a legacy plan" for each in (version, found)
                ]
                part.report(part.line, f"this session is of {shown[0]}, and others of {shown[1]}")
            found = version if found is None else found
    return found or ""


def _check_sections(parts: Iterable[WrittenPart], version: str) -> None:
    """Check that sessions of a plan that is not legacy have what their work is held to."""
    for part in parts:
        has_fence = "scope fence" in part.sections or {"touch", "never touch"} & {*part.fields}
        if version and not has_fence:
            part.report(part.line, f"Session {part.number} has no section Scope Fence")
        if version and "exit condition" not in part.fields:
            part.report(part.line, f"Session {part.number} has no section Exit Condition")


def _join_sessions(
    parts: list[WrittenPart], sessions: list[PlannedSession]
) -> tuple[PlannedSession, ...]:
    """Give every session what it depends on: by its own words, and because others block it."""
    known = {part.number for part in parts}
    before: dict[int, dict[int, None]] = {part.number: {} for part in parts}
    for part in parts:
        for number, line in _read_others(part, "depends on").items():
            if number in known:
                before[part.number][number] = None
            else:
                part.report(line, f"depends on: there is no Session {number}")
    for part in parts:
        for number, line in _read_others(part, "blocks").items():
            if number not in known:
                part.report(line, f"blocks: there is no Session {number}")
            elif number in before[part.number]:
                message = f"Session {part.number} depends on Session {number}, and blocks it"
                part.report(line, message)
            else:
                before[number][part.number] = None
    return tuple(
        session.replace(depends_on=tuple(map(_name_session, before[part.number])))
        for part, session in zip(parts, sessions, strict=True)
    )


def _read_others(part: WrittenPart, name: str) -> dict[int, int]:
    found = read_references(part.fields.get(name), "session", name, part.notes)
    if part.number in found:
        part.report(found.pop(part.number), f"{name}: Session {part.number} names itself")
    return found


def _find_origin(parts: Iterable[WrittenPart]) -> str:
    """Find the path of the master plan that the sessions name."""
    names = ("origin", "master plan")
    texts = (part.fields[name].first for part in parts for name in names if name in part.fields)
    return next((text.strip("`") for text in texts if not says_none(text)), "")


def _find_title(written: WrittenPlan, path: str) -> str:
    said = written.fields.get("title")
    title = said.text if said else written.title
    first = [part.title for part in written.sessions] + [step.title for step in written.steps]
    return title or path.rsplit("/", 1)[-1] or next(iter(first), "")


def _read_goals(written: WrittenPlan) -> tuple[str, ...]:
    field = written.fields.get("goals")
    found = [cut_bullet(line.text)[0] for line in list_lines(field)] if field else []
    return tuple(dict.fromkeys([*filter(None, found), *written.goals]))
