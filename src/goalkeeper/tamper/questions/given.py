"""What runners give to tests in Python, written without them."""

from __future__ import annotations

# What is put into `ASK9_UNDO` is undone once the question was asked.
GIVEN = {
    "tmp_path": "tmp_path = __import__('pathlib').Path(__import__('tempfile').mkdtemp())",
    "capsys": """\
class Capsys:
    def __init__(self):
        sys = __import__('sys')
        kept = {'stdout': sys.stdout, 'stderr': sys.stderr}
        ASK9_UNDO.append(lambda: vars(sys).update(kept))
        self.readouterr()

    def readouterr(self):
        io, sys = __import__('io'), __import__('sys')
        kind = __import__('collections').namedtuple('CaptureResult', ('out', 'err'))
        said = kind(*(each.buffer.getvalue().decode() for each in vars(self).values()))\\
            if vars(self) else None
        self.out, self.err = (
            io.TextIOWrapper(io.BytesIO(), 'utf-8', newline='', write_through=True)
            for _ in range(2)
        )
        sys.stdout, sys.stderr = self.out, self.err
        return said
capsys = Capsys()
""",
    "monkeypatch": """\
class Monkeypatch:
    def setattr(self, target, name, *value, raising=True):
        if not value:
            place, _, last = target.rpartition('.')
            target, name, value = __import__('importlib').import_module(place), last, (name,)
        self.keep(target, name)
        setattr(target, name, *value)

    def delattr(self, target, name, raising=True):
        self.keep(target, name)
        delattr(target, name)

    def keep(self, target, name):
        own = vars(target)
        old = [own[name]] if name in own else []
        ASK9_UNDO.append(lambda: setattr(target, name, *old) if old else delattr(target, name))

    def setitem(self, holder, key, value):
        old = [holder[key]] if key in holder else []
        ASK9_UNDO.append(lambda: holder.update({key: old[0]}) if old else holder.pop(key, None))
        holder[key] = value

    def delitem(self, holder, key, raising=True):
        self.setitem(holder, key, None)
        del holder[key]

    def setenv(self, name, value, prepend=None):
        self.setitem(__import__('os').environ, name, str(value))

    def delenv(self, name, raising=True):
        self.delitem(__import__('os').environ, name)

    def chdir(self, place):
        os = __import__('os')
        ASK9_UNDO.append(__import__('functools').partial(os.chdir, os.getcwd()))
        os.chdir(place)
monkeypatch = Monkeypatch()
""",
}
WRITTEN = {"Capsys", "Monkeypatch", "__getattr__"}
# Whatever else its test asserts is not asked.
CASE = """\
class Case:
    def __getattr__(self, name):
        if name.startswith("assert"):
            return lambda *given, **named: None
        raise AttributeError(name)
self = Case()
"""
