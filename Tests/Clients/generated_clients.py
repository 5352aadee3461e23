"""Makes clients from the server's openapi.json and uses them; prints what is wrong and exits with 1, or nothing and 0."""

import base64
import importlib
import inspect
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

url = sys.argv[1].rstrip("/")
faults = []
# A picture of one pixel would be too small: 64 by 64, one colour.
picture = None


def check(holds, what):
    if not holds:
        faults.append(what)


def fetch(method, path, body=None, token=None):
    request = urllib.request.Request(url + path, method=method)
    if token:
        request.add_header("Authorization", "Bearer " + token)
    data = None
    if body is not None:
        request.add_header("Content-Type", "application/json")
        data = json.dumps(body).encode()
    with urllib.request.urlopen(request, data) as answer:
        return answer.read()


def png(side):
    """One colour, without any library."""
    import struct
    import zlib

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x40\x80\xc0" * side for _ in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


document = json.loads(fetch("GET", "/api/v1/openapi.json"))
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "openapi.json").write_text(json.dumps(document))
(folder / "config.yml").write_text(
    "package_name_override: commonplace_client\nproject_name_override: commonplace-client\npost_hooks: []\n"
    "content_type_overrides:\n"
    + "".join(f"  {kind}: application/octet-stream\n" for kind in (
        "image/jpeg", "image/png", "image/webp", "text/html", "text/javascript", "application/gzip", "application/zip")))
bin = pathlib.Path(sys.executable).parent
code, told = run(
    str(bin / "openapi-python-client"), "generate", "--path", "openapi.json", "--config", "config.yml", "--meta", "none",
    "--output-path", "commonplace_client", cwd=folder)
check(code == 0, "openapi-python-client ends with 0: " + told[-2000:])
warnings = [line for line in told.splitlines() if re.search("warn|unable|unsupported|skipp", line, re.I)]
check(not warnings, "openapi-python-client warns: " + "\n".join(warnings[:20]))

code, told = run(
    str(bin / "datamodel-codegen"), "--input", "openapi.json", "--input-file-type", "openapi", "--output", "models.py",
    "--output-model-type", "pydantic_v2.BaseModel", "--disable-timestamp", cwd=folder)
check(code == 0, "datamodel-codegen ends with 0: " + told[-2000:])
if faults:
    print("\n".join(faults))
    sys.exit(1)

sys.path.insert(0, str(folder))
client_module = importlib.import_module("commonplace_client")
types = importlib.import_module("commonplace_client.types")
models = importlib.import_module("models")


def snake(name):
    return re.sub(r"[^a-z0-9_]", "_", name.lower())


def module(operation):
    tag = snake(operation["tags"][0])
    return importlib.import_module(f"commonplace_client.api.{tag}.{snake(operation['operationId'])}")


def answer_model(operation, status):
    schema = operation["responses"].get(str(status), {}).get("content", {}).get("application/json", {}).get("schema", {})
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    return getattr(models, name, None) if name else None


made = 0


def call(method, path, client, expected=(200, 201, 204), **arguments):
    """One call by the generated function of this address; its answer is held to the generated model."""
    global made
    operation = document["paths"][path][method.lower()]
    try:
        function = module(operation).sync_detailed
        wanted = inspect.signature(function).parameters
        body = arguments.pop("body", None)
        if isinstance(body, dict):
            body = wanted["body"].annotation.from_dict(body) if hasattr(wanted["body"].annotation, "from_dict") else body
            if isinstance(body, dict):
                kind = [part for part in getattr(wanted["body"].annotation, "__args__", ()) if hasattr(part, "from_dict")][0]
                body = kind.from_dict(arguments.pop("raw", None) or body)
        if body is not None:
            arguments["body"] = body
        answer = function(client=client, **arguments)
    except Exception as error:
        check(False, f"{method} {path} fails in the client: {type(error).__name__}: {error}")
        return None
    made += 1
    check(answer.status_code in expected, f"{method} {path} answers {answer.status_code}: {answer.content[:300]!r}")
    kind = answer.headers.get("content-type", "")
    if answer.status_code < 300 and kind.startswith("application/json"):
        value = json.loads(answer.content)
        check(answer.parsed is not None, f"{method} {path} is not parsed")
        model = answer_model(operation, int(answer.status_code))
        if model:
            try:
                model.model_validate(value)
            except Exception as error:
                check(False, f"{method} {path} does not fit its model: {str(error)[:600]}")
        return value
    return answer.content


anyone = client_module.Client(base_url=url)
account = {
    "username": "generated", "email": "generated@example.org", "email_confirmation": "generated@example.org",
    "password": "a long walk home", "password_confirmation": "a long walk home"}
signed = call("POST", "/api/v1/accounts", anyone, body=account)
if not signed:
    print("\n".join(faults))
    sys.exit(1)
signed = call("POST", "/api/v1/sessions", anyone, body={"login": "clients", "password": "a long walk home"})
me = client_module.AuthenticatedClient(base_url=url, token=signed["token"])

books = call("GET", "/api/v1/books", me)["items"]
book = books[0]["id"]
whole = call("GET", "/api/v1/books/{book}", me, book=book)
edition = whole["editions"][0]["id"]

# Every upload.
image = types.File(payload=__import__("io").BytesIO(png(400)), mime_type="image/png")
call("PUT", "/api/v1/me/picture", me, body=image, alt="One colour.")
image = types.File(payload=__import__("io").BytesIO(png(400)), mime_type="image/png")
call("PUT", "/api/v1/editions/{edition}/proposed-cover", me, expected=(200, 201), edition=edition, body=image,
     alt="One colour.", reason="There is none.")
image = types.File(payload=__import__("io").BytesIO(png(400)), mime_type="image/png")
call("PUT", "/api/v1/editions/{edition}/cover", me, expected=(200, 201), edition=edition, body=image,
     alt="One colour.")

call("PUT", "/api/v1/books/{book}/rating", me, book=book, body={"rating": 4.5})
call("PUT", "/api/v1/books/{book}/favourite", me, book=book)

# Whatever is read without a name in its address.
for path, operations in sorted(document["paths"].items()):
    operation = operations.get("get")
    if operation is None or "{" in path or not path.startswith("/api/v1") or path in (
            "/api/v1/stream", "/api/v1/openapi.json", "/api/v1/asyncapi.json"):
        continue
    required = {
        parameter["name"]: "war" for parameter in operation.get("parameters", [])
        if parameter.get("in") == "query" and (parameter.get("required") or parameter["name"] == "q")}
    call("GET", path, me, expected=(200, 403, 404), **required)

# Whatever hangs on a book.
for path, operations in sorted(document["paths"].items()):
    operation = operations.get("get")
    if operation and re.fullmatch(r"/api/v1/books/\{book\}/[a-z-]+", path):
        call("GET", path, me, expected=(200, 403, 404), book=book)

check(made >= 40, f"only {made} calls")
print("\n".join(faults))
sys.exit(1 if faults else 0)
