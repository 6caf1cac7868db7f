"""Who may borrow."""

from dataclasses import dataclass

KINDS = ("adult", "child", "teacher")


class MemberError(ValueError):
    """There is no such member, or no such kind of member."""


@dataclass(frozen=True)
class Member:
    name: str
    kind: str = "adult"

    def __post_init__(self):
        if self.kind not in KINDS:
            raise MemberError(f"unknown kind of member: {self.kind}")


class Register:
    """All members by number."""

    def __init__(self):
        self._members = {}
        self._last = 0

    def enter(self, name, kind="adult"):
        """Enter a member and tell the number given."""
        self._last += 1
        self._members[self._last] = Member(name, kind)
        return self._last

    def leave(self, number):
        self.member(number)
        del self._members[number]

    def member(self, number):
        try:
            return self._members[number]
        except KeyError:
            raise MemberError(f"no member {number}") from None

    def names(self):
        return sorted(member.name for member in self._members.values())
