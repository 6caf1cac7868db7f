"""The scripted model as a server: lanes, its log, odd requests."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.contract.scripted_model.callers import CALLERS, CHAT, SECONDS, fetch
from tests.fault.rig import wait_until
from tests.patience import patience
from tests.scripted_model.reading import ScriptInvalid
from tests.scripted_model.server import Lane, Models, serving

KEY = "sk-test-0123456789"
BODY = json.dumps({"model": "m1", "messages": [{"role": "user", "content": "hi"}]}).encode()


@pytest.fixture
def wire(models: Models) -> Iterator[http.client.HTTPConnection]:
    place = urlsplit(models.url)
    with closing(
        http.client.HTTPConnection(str(place.netloc), timeout=patience(SECONDS))
    ) as connection:
        yield connection


def log_of(lane: Lane) -> list[Any]:
    return list(fetch(f"{lane.url}/__log").json)


# Lanes


def test_lanes_that_are_used_at_once_do_not_mix(models: Models) -> None:
    lanes = [models.lane(f"parallel {number}") for number in range(8)]
    for number, lane in enumerate(lanes):
        lane.script(turns=[{"text": f"{number}-{turn}"} for turn in range(10)])

    def conversation(number: int) -> list[list[str]]:
        caller = CALLERS[number % len(CALLERS)]
        return [caller.heard(lanes[number].url, stream=turn % 2 == 0) for turn in range(10)]

    with ThreadPoolExecutor(len(lanes)) as pool:
        heard = list(pool.map(conversation, range(len(lanes))))

    assert heard == [[[f"{n}-{turn}"] for turn in range(10)] for n in range(len(lanes))]
    assert [len(lane.requests) for lane in lanes] == [10] * len(lanes)


def test_in_one_lane_each_turn_is_given_once_however_many_ask(lane: Lane) -> None:
    lane.script(turns=[{"text": str(turn)} for turn in range(40)])

    with ThreadPoolExecutor(8) as pool:
        heard = list(pool.map(lambda _: CHAT.heard(lane.url)[0], range(40)))

    assert sorted(heard, key=int) == [str(turn) for turn in range(40)]
    assert [entry["why"] for entry in log_of(lane)] == [f"turns[{turn}]" for turn in range(40)]


def test_a_lane_without_a_script_is_done_at_once(lane: Lane) -> None:
    assert CHAT.heard(lane.url) == ["done"]
    assert CHAT.whole(CHAT.ask(lane.url, tools=()).json) == ["ok"]


def test_a_script_that_is_posted_begins_anew(lane: Lane) -> None:
    script = {"turns": [{"text": "one"}, {"text": "two"}]}

    assert fetch(f"{lane.url}/__script", script).status == 200
    assert CHAT.heard(lane.url) == ["one"]
    fetch(f"{lane.url}/__script", script)
    assert CHAT.heard(lane.url) == ["one"]


def test_without_a_lane_there_is_one_script_too(models: Models) -> None:
    fetch(f"{models.url}/__script", {"turns": [{"text": "laneless"}]})

    assert CHAT.heard(models.url) == ["laneless"]
    assert CHAT.heard(models.lane("another").url) == ["done"]


def test_a_bad_script_is_refused_whole_and_the_old_one_goes_on(lane: Lane) -> None:
    lane.script(turns=[{"text": "one"}, {"text": "two"}])
    CHAT.heard(lane.url)

    got = fetch(f"{lane.url}/__script", {"turns": [{"text": "new"}, {"txt": 1}], "side": 5})

    assert got.status == 400
    assert "turns[1]: unknown field 'txt'; did you mean text?" in got.json["problems"]
    assert len(got.json["problems"]) == 2
    assert CHAT.heard(lane.url) == ["two"]


def test_a_bad_script_is_refused_in_python_too(lane: Lane) -> None:
    lane.script(turns=[{"text": "one"}])

    with pytest.raises(ScriptInvalid, match=r"turns\[0\]\.delay: expected a number"):
        lane.script(turns=[{"delay": "long"}])

    assert CHAT.heard(lane.url) == ["one"]


def test_a_script_that_is_not_json_is_refused(lane: Lane, wire: http.client.HTTPConnection) -> None:
    for body in (b"{", b"\xff\xfe", b"[" * 100_000):
        wire.request("POST", f"{urlsplit(lane.url).path}/__script", body)
        answer = wire.getresponse()
        assert answer.status == 400
        assert json.loads(answer.read())["problems"][0].startswith("not JSON")


# The log


def test_the_log_tells_what_came_and_why_it_was_answered_so(lane: Lane) -> None:
    CHAT.ask(lane.url, "good morning", stream=True)
    fetch(f"{lane.url}/v1/nothing")

    asked, lost = log_of(lane)

    assert (asked["method"], asked["why"]) == ("POST", "turns[0]")
    assert asked["path"].endswith("/v1/chat/completions")
    assert asked["body"]["messages"][-1]["content"] == "good morning"
    assert asked["request"] == {
        "api": "chat", "model": "m1", "stream": True, "tools": ["ls"], "last": "good morning",
    }  # fmt: skip
    assert (lost["method"], lost["why"]) == ("GET", "nowhere")


def test_the_log_of_all_lanes_has_every_lane_in_it(models: Models) -> None:
    for name in ("log a", "log b"):
        CHAT.ask(models.lane(name).url)

    lanes = {entry["lane"] for entry in fetch(f"{models.url}/__log").json}

    assert {"log a", "log b"} <= lanes
    assert {entry["lane"] for entry in log_of(models.lane("log a"))} == {"log a"}


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Authorization", f"Bearer {KEY}"),
        ("x-api-key", KEY),
        ("X-Goog-Api-Key", KEY),
        ("Proxy-Authorization", f"Basic {KEY}"),
    ],
    ids=["bearer", "anthropic", "gemini", "proxy"],
)
def test_keys_never_reach_the_log(lane: Lane, header: str, value: str) -> None:
    body = {"messages": [{"role": "user", "content": f"env says KEY={KEY}"}]}
    fetch(f"{lane.url}/v1/messages", body, headers={header: value})
    fetch(f"{lane.url}/v1/nothing?key={KEY}", headers={header: value})

    log = fetch(f"{lane.url}/__log")

    assert KEY not in log.text
    assert [entry["headers"][header.lower()] for entry in log.json] == ["<set>", "<set>"]
    assert log.json[1]["path"].endswith("?key=<set>")
    assert lane.requests[0].last == "env says KEY=<set>"


# What is not a question to the model


def test_it_says_that_it_is_alive(lane: Lane, models: Models) -> None:
    assert fetch(f"{models.url}/", method="HEAD").status == 200
    assert fetch(lane.url, method="HEAD").status == 200
    assert fetch(f"{models.url}/__health").json["ok"] is True


def test_it_lists_its_models(lane: Lane) -> None:
    assert fetch(f"{lane.url}/v1/models").json["data"][0]["id"] == "scripted-model"


def test_tokens_are_counted_and_no_turn_is_used_up(lane: Lane) -> None:
    lane.script(turns=[{"text": "one"}, {"text": "two"}])
    body = {"messages": [{"role": "user", "content": "x" * 4000}]}

    anthropic = fetch(f"{lane.url}/v1/messages/count_tokens", body).json
    gemini = fetch(f"{lane.url}/v1beta/models/m1:countTokens", body).json

    assert anthropic["input_tokens"] == gemini["totalTokens"] > 1000
    assert CHAT.heard(lane.url) == ["one"]


def test_there_is_no_way_out(models: Models, wire: http.client.HTTPConnection) -> None:
    wire.set_tunnel("api.example.org", 443)
    with pytest.raises(OSError, match="403"):
        wire.connect()
    with closing(http.client.HTTPConnection(urlsplit(models.url).netloc)) as proxied:
        proxied.request("POST", "http://api.example.org/v1/messages", BODY)
        assert proxied.getresponse().status == 403

    refused = [e["path"] for e in fetch(f"{models.url}/__log").json if e["why"] == "outside"]

    assert refused[-2:] == ["api.example.org:443", "http://api.example.org/v1/messages"]


def test_only_its_own_address_is_bound(models: Models) -> None:
    place = urlsplit(models.url)

    assert place.hostname == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", place.port or 0))


# How bodies may come


def chunks(data: bytes) -> Iterator[bytes]:
    yield data[:10]
    yield data[10:]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_a_body_may_come_in_chunks_and_packed(
    lane: Lane, wire: http.client.HTTPConnection, packed: bool, chunked: bool
) -> None:
    data = gzip.compress(BODY) if packed else BODY
    headers = {"Content-Encoding": "gzip"} if packed else {}

    for _ in range(2):  # on one connection: nothing of the first may be left over
        path = f"{urlsplit(lane.url).path}/v1/messages"
        wire.request("POST", path, chunks(data) if chunked else data, headers)
        answer = wire.getresponse()
        assert (answer.status, bool(answer.read())) == (200, True)

    assert [request.last for request in lane.requests] == ["hi", "hi"]


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content-Encoding": "gzip"}, BODY),
        ({"Content-Encoding": "br"}, BODY),
        ({"Transfer-Encoding": "chunked"}, b"nonsense\r\n"),
        ({"Content-Length": "many"}, b""),
        ({"Content-Length": "-1"}, b""),
        ({}, b"not json"),
        ({}, b"[1, 2]"),
        ({}, b'{"a":' * 100_000),
        ({}, b""),
    ],
)  # fmt: skip
def test_a_body_that_cannot_be_read_is_an_error_and_is_logged(
    lane: Lane, wire: http.client.HTTPConnection, headers: dict[str, str], body: bytes
) -> None:
    wire.putrequest("POST", f"{urlsplit(lane.url).path}/v1/messages")
    for name, value in ({"Content-Length": str(len(body))} | headers).items():
        wire.putheader(name, value)
    wire.endheaders(body)

    answer = wire.getresponse()

    assert answer.status == 400
    assert json.loads(answer.read())["error"]["message"]
    assert log_of(lane)[-1]["why"].startswith("unreadable")
    assert lane.requests == ()


def test_a_request_of_odd_shape_is_still_answered(lane: Lane) -> None:
    odd: dict[str, Any] = {"model": 5, "messages": "?", "input": {}, "tools": [1, {"name": None}]}

    assert fetch(f"{lane.url}/v1/messages", odd).status == 200
    assert fetch(f"{lane.url}/v1/responses", odd).status == 200
    assert fetch(f"{lane.url}/v1/chat/completions", odd).status == 200
    assert fetch(f"{lane.url}/v1beta/models/m:generateContent", odd).status == 200


def test_a_server_that_is_closed_ends_all_delays() -> None:
    with ThreadPoolExecutor(1) as pool:
        with serving() as models:
            lane = models.lane("slow")
            lane.script(turns=[{"text": "at last", "delay": 3600}])
            heard = pool.submit(CHAT.heard, lane.url)
            wait_until(lambda: len(lane.requests) == 1, "the request to arrive")
        assert heard.result(patience(SECONDS)) == ["at last"]

    with pytest.raises(OSError, match="refused"):
        CHAT.ask(lane.url)
