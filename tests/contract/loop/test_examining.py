"""What a fresh examiner is shown of a contract that the work does not meet."""

from pathlib import Path

from goalkeeper.loop.examining import read_held_out


def test_a_held_out_folder_is_shown_file_by_file_and_a_file_by_its_name(tmp_path: Path) -> None:
    deep = tmp_path / "kept/deep/more"
    deep.mkdir(parents=True)
    (deep / "test_b.py").write_bytes(b"b")
    (deep.parent / "test_a.py").write_bytes(b"a")

    folder, file = deep.parent, deep / "test_b.py"

    assert [*read_held_out(str(folder))] == [
        ("deep/more/test_b.py", b"b"),
        ("deep/test_a.py", b"a"),
    ]
    assert [*read_held_out(str(file))] == [("test_b.py", b"b")]
