"""Processes of a campaign: what is believed of them, and what anybody can write."""

import os
import subprocess
import sys
from pathlib import Path

from goalkeeper.campaign.executor import LocalExecutor
from goalkeeper.system.procfs import read_start_time


def test_the_answer_of_a_process_is_its_own_whatever_stands_in_its_log(tmp_path: Path) -> None:
    executor = LocalExecutor(str(tmp_path / "logs"), str(tmp_path), os.environ)
    says = "input(); print('true')"
    reading, writing = os.pipe()
    words = ["sh", "-c", f'exec {sys.executable} -c "{says}" < /proc/{os.getpid()}/fd/{reading}']

    executor.start("queue", words, answers=True)
    (tmp_path / "logs/queue.out").write_text("false\n")
    os.write(writing, b"\n")
    os.close(writing)
    while executor.is_running("queue"):
        os.sched_yield()
    os.close(reading)

    assert executor.take_exit("queue") == 0
    assert executor.take_answer("queue") == "true\n"
    assert executor.take_answer("queue") == ""


def test_a_file_that_names_another_process_is_not_believed(tmp_path: Path) -> None:
    executor = LocalExecutor(str(tmp_path), str(tmp_path), os.environ)
    with subprocess.Popen(["sleep", "1000"]) as mine:
        (tmp_path / "S03.pid").write_text(f"{mine.pid}\n{read_start_time(mine.pid)}\n")

        assert not executor.is_running("S03")
        executor.interrupt("S03")

        assert mine.poll() is None
        mine.kill()
