import time

from shelf import Catalogue, Item
from shelf.__main__ import main


def test_search(catalogue):
    assert catalogue.search("emma") == [Item("Emma", "book"), Item("The Emma Game", "game")]


def test_all_words(catalogue):
    assert catalogue.search("game emma") == [Item("The Emma Game", "game")]


def test_search_is_kept():
    catalogue = Catalogue(keep=0.05)
    assert catalogue.search("go") == []
    catalogue.add("Go", "game")
    assert catalogue.search("go") == []
    time.sleep(0.1)
    assert catalogue.search("go") == [Item("Go", "game")]


def test_program(tmp_path, capsys):
    (tmp_path / "all.txt").write_text("Emma; book\nGo; game\n")
    assert main(["search", str(tmp_path / "all.txt"), "GO"]) == 0
    assert capsys.readouterr().out == "Go (game)\n"
