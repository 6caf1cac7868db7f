"""The part of a program of Python questions that watches which steps calls take."""

from __future__ import annotations

WALKING = """\
def ASK9_walk(number, put):
    # Steps from one instruction to another, by the function that they are of.
    steps, said = {}, []

    def enter(frame, event, given):
        code = frame.f_code
        if code.co_filename.startswith(ASK9_FOREIGN):
            return None
        path = code.co_filename.removeprefix(ASK9_HERE)
        taken, last = steps.setdefault("%s: %s" % (path, code.co_name), set()), [None]
        frame.f_trace_opcodes = True

        def step(frame, event, given):
            taken.add((last[0], frame.f_lasti))
            last[0] = frame.f_lasti
            return step

        return step

    ASK9_sys._getframe().f_trace_opcodes = True  # Python 3.12 asks only before it watches
    for watch in (None, enter):  # what is kept for the next time is there by then
        began = ASK9_spend()
        ASK9_watch(watch)
        ASK9_threading.settrace(watch)
        try:
            value = ASK9_limit(number, put, ASK9_LATE if watch else ASK9_LATE_WALK)
            said.append(ASK9_describe(value))
            ASK9_GAVE[number] = said[-1]
        except ASK9_Late:
            ASK9_LOST.append(ASK9_spend() - began)  # on a busy machine, it waits long for this
            return None
        except BaseException:
            pass
        finally:
            is_seen = ASK9_watched() is watch
            ASK9_watch(None)
            ASK9_threading.settrace(None)
    if number in ASK9_SAID and ASK9_SAID[number] not in said:
        ASK9_FICKLE.add(number)
    # It may look for somebody who watches.
    if not is_seen or (said[:1] == [ASK9_SAID.get(number)] and said[1:] != said[:1]):
        ASK9_SHY.add(number)
    return steps


def ASK9_walk_all():
    global ASK9_threading
    import threading as ASK9_threading

    began, late = ASK9_spend(), ASK9_clock() + ASK9_MOST
    for number, own, groups, shifted in ASK9_WALKS:
        if ASK9_spend() - sum(ASK9_LOST) > began + ASK9_ENOUGH or ASK9_clock() > late:
            break
        if ASK9_WORKED[number] > ASK9_SHORT or ASK9_TOOK[number] > ASK9_LATE:
            continue
        taken, aside = ASK9_walk(number, own) or {}, set()
        if number in ASK9_FICKLE:  # it answers in turn, so steps tell nothing
            continue
        if number in ASK9_SHY:
            aside.add("unwatched")
        moved = ASK9_walk_moved(number, shifted)
        for group in groups:
            found = ASK9_compare_walks(number, taken, group, moved)
            aside.update(found)
            if "late" in found:
                break
        for kind, places in (("through", taken), ("aside", sorted(aside)[:50])):
            for place in places:
                ASK9_tell(number, 0, kind, place)


def ASK9_walk_moved(number, shifted):
    # How numbers lie to each other may decide: then the answer moves with all of them.
    walks = []
    for put in shifted:
        ASK9_GAVE.pop(number, None)
        walk = ASK9_walk(number, put)
        if walk and ASK9_GAVE.get(number) != ASK9_SAID.get(number):
            walks.append(walk)
    return walks


def ASK9_compare_walks(number, taken, group, moved):
    # Steps that none of the group takes, of which most come to their end; or all are late, and the
    # first has no end. What never came to the product tells nothing.
    walks, found, late = [], set(), 0
    for put in group if taken else ():
        walk = ASK9_walk(number, put)
        if walk is None:
            late += 1
            continue
        walks.append(walk)
        found = {
            "%s %d" % (name, step)
            for name, steps in taken.items()
            for _, step in steps.difference(*(each.get(name, ()) for each in (*walks, *moved)))
        }
        if not walk or not found:
            return set()
    if taken and late == len(group):
        return {"late"} if ASK9_is_endless(number, group[0]) else set()
    return found if len(walks) > late else set()


def ASK9_is_endless(number, put):
    began = ASK9_spend()
    try:
        ASK9_limit(number, put, ASK9_ENDLESS)
    except ASK9_Late:
        ASK9_LOST.append(ASK9_spend() - began)
        return True
    except BaseException:
        pass
    return False
"""
