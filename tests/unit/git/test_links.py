"""What a path is called by those who come over a link."""

from goalkeeper.git.links import Links


def test_a_file_has_the_name_of_the_link_to_it() -> None:
    links = Links({"sub/check.sh": "../tools/./real.sh"})

    assert links.find_names("tools/real.sh") == {"sub/check.sh": "sub/check.sh"}
    assert links.find_names("tools/other.sh") == {}


def test_a_file_in_a_linked_folder_has_a_name_below_the_link() -> None:
    links = Links({"tests": "qa/suite"})

    assert links.find_names("qa/suite/deep/a.py") == {"tests/deep/a.py": "tests"}
    assert links.find_names("qa/suites/a.py") == {}


def test_links_lead_over_other_links() -> None:
    links = Links({"check.sh": "mid.sh", "mid.sh": "bin/real.sh", "bin": "tools/bin"})

    assert links.find_names("tools/bin/real.sh").keys() == {"bin/real.sh", "mid.sh", "check.sh"}
    assert links.find_names("mid.sh") == {"check.sh": "check.sh"}


def test_what_leads_out_of_the_tree_leads_to_nothing_in_it() -> None:
    links = Links({"a": "/tools/x", "b": "../tools/x", "c/d": "../../tools/x"})

    assert links.find_names("tools/x") == {}


def test_a_link_to_a_folder_around_it_gives_no_names() -> None:
    links = Links({"tests/roles/mine": "../..", "tests/again": "."})

    assert links.find_names("src/app.py") == links.find_names("tests/test_app.py") == {}


def test_rings_have_an_end() -> None:
    assert Links({"a": "b", "b": "a"}).find_names("a").keys() == {"b"}
    assert Links({"a": "a"}).find_names("a") == {}
    assert "b/y/f" in Links({"a/x": "../b", "b/y": "../a"}).find_names("a/f")


def test_links_that_all_lead_into_each_other_take_no_time() -> None:
    folders = [f"d{n}" for n in range(30)]
    links = Links({f"{a}/{b}": f"../{b}" for a in folders for b in folders if a != b})

    assert len(links.find_names("d0/f")) < 1000
