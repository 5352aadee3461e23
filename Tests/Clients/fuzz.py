"""Has schemathesis call every operation of a server with what its openapi.json allows and forbids; exits with its status."""

import json
import os
import pathlib
import random
import subprocess
import sys
import urllib.request

url, count = sys.argv[1].rstrip("/"), sys.argv[2]
seed = os.environ.get("COMMONPLACE_TEST_SEED") or str(random.randrange(1 << 32))
print("seed " + seed)
name = "fuzzed"
account = {
    "username": name, "email": name + "@example.org", "email_confirmation": name + "@example.org",
    "password": "a long walk home", "password_confirmation": "a long walk home"}
request = urllib.request.Request(
    url + "/api/v1/accounts", json.dumps(account).encode(), {"Content-Type": "application/json"})
with urllib.request.urlopen(request) as answer:
    token = json.load(answer)["token"]
here = pathlib.Path(__file__).parent
sys.exit(subprocess.run(
    [str(pathlib.Path(sys.executable).parent / "schemathesis"), "--config-file", str(here / "schemathesis.toml"), "run",
     url + "/api/v1/openapi.json", "--url", url, "--seed", seed, "--max-examples", count],
    env=os.environ | {"COMMONPLACE_TOKEN": token}).returncode)
