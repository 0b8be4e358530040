"""python -m engine host: what a window starts, with the local API beside it when the settings say so."""

from __future__ import annotations

import subprocess
import sys
import urllib.request

from engine.protocol import ApiRead, Hello, ReadApi, Ready
from engine.protocol.codec import PROTOCOL_VERSION, decode_event, encode
from engine.settings import Api, Models, Settings, folders, save_settings


def test_the_window_s_host_serves_the_api_and_ends_with_it() -> None:
    save_settings(Settings(models=Models(last_model=""), api=Api(is_on=True, port=0)), folders().settings_file)
    with subprocess.Popen(
        [sys.executable, "-m", "engine", "host"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(encode(Hello(request_id="h", protocol_version=PROTOCOL_VERSION)))
        process.stdin.write(encode(ReadApi(request_id="a")))
        process.stdin.flush()
        assert isinstance(decode_event(process.stdout.readline()), Ready)
        answer = None
        while not isinstance(answer, ApiRead):
            answer = decode_event(process.stdout.readline())
        assert answer.address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{answer.address}/health", timeout=60) as page:
            assert page.status == 200
        process.stdin.close()
        assert process.wait(60) == 0
