"""Where the user's own files lie."""

import os
import pwd

from goalkeeper.system.environment import find_user_home
from goalkeeper.wire import layout


def test_a_relative_home_names_no_folder_of_the_repository() -> None:
    account = pwd.getpwuid(os.getuid()).pw_dir

    assert [find_user_home({"HOME": home}) for home in (".", "", "home", "/x")] == [
        account, account, account, "/x",
    ]  # fmt: skip
    assert layout.state_home({"HOME": "."}).startswith("/")
