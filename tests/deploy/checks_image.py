"""The image: what is in it, and how it starts, answers and ends."""

import contextlib
import http.server
import json
import os
import re
import socket
import ssl
import struct
import threading
import time
from pathlib import Path

from world import KEY, Container, check, eq, run, running

WEATHER = {
    "model": "demo-types",  # writes "3" where the schema wants 3
    "messages": [{"role": "user", "content": "What is the weather in Oslo for 3 days?"}],
    "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}}],
}
KEYS = {"COUNTERSIGN_API_KEYS": KEY}


@check("SERVE-7")
def the_archive_is_what_engines_load(image):
    eq(image.manifest["RepoTags"], [f"docker.io/library/countersign:{version()}"], "name")
    eq(image.described["rootfs"]["diff_ids"], image.digests(), "layers")
    eq((image.described["os"], image.config["User"]), ("linux", "65532:65532"))
    eq((image.config["Entrypoint"], image.config["Cmd"]), (["/usr/bin/countersign"], ["serve"]))
    eq((list(image.config["ExposedPorts"]), list(image.config["Volumes"])), (["7420/tcp"], ["/data"]))
    eq(image.config["Healthcheck"]["Test"], ["CMD", "/usr/bin/countersign", "health"])
    labels = {name.removeprefix("org.opencontainers.image."): text for name, text in image.config["Labels"].items()}
    eq((labels["title"], labels["version"], labels["licenses"]), ("countersign", version(), "MIT OR Apache-2.0"))
    assert labels["source"] and labels["description"] and re.fullmatch("[0-9a-f]{40}|unknown", labels["revision"]), labels


@check("SERVE-7")
def nothing_but_a_static_binary_and_certificates_is_in_it(image):
    root = image.unpack()
    for added in ("etc/hosts", "etc/resolv.conf"):
        (root / added).unlink()
    files = sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir())
    eq(files, ["etc/group", "etc/nsswitch.conf", "etc/passwd", "etc/ssl/certs/ca-certificates.crt", "usr/bin/countersign"])
    binary = root / "usr/bin/countersign"
    linked = run("file", "--brief", binary)
    assert "statically linked" in linked or "static-pie linked" in linked, linked
    assert "statically linked" in (said := run("ldd", binary)), said
    eq((root / "etc/ssl/certs/ca-certificates.crt").read_text().count("BEGIN CERTIFICATE"), len(list(Path("/usr/share/ca-certificates/mozilla").iterdir())), "public authorities, and none of this machine")
    folders = {name: (found.st_uid, found.st_gid, oct(found.st_mode & 0o7777)) for name in ("", "data", "etc", "tmp", "usr/bin") for found in [(root / name).stat()]}
    ours, theirs = (0, 0, "0o755"), (65532, 65532, "0o700")
    eq(folders, {"": ours, "data": theirs, "etc": ours, "tmp": (0, 0, "0o1777"), "usr/bin": ours})
    size = image.archive.stat().st_size
    assert size < binary.stat().st_size + 2_000_000, size
    if os.environ.get("PROFILE") == "release":
        assert size < 45_000_000, f"the image has {size} bytes"
    print(f"        image {size / 1e6:.1f} MB, binary {binary.stat().st_size / 1e6:.1f} MB ({os.environ.get('PROFILE')} profile)")


# SERVE-1: a container is reached from outside, so it does not start without a key.
@check("SERVE-1")
def it_does_not_start_without_a_key(image):
    container = Container(image)
    eq(container.wait(), 2)
    for words in ("refusing to listen on 0.0.0.0 without API keys", "countersign keys create", "COUNTERSIGN_API_KEYS"):
        assert words in container.said(), container.said()


@check("SERVE-1", "SERVE-6", "SERVE-7")
def it_starts_answers_and_ends(image):
    with running(Container(image, env=KEYS, read_only=True)) as container:
        eq(container.ask("GET", "/livez", key=None), (200, '{"status":"alive"}'))
        status, said = container.ask("POST", "/v1/chat/completions", WEATHER)
        eq(status, 200, said)
        [call] = json.loads(said)["choices"][0]["message"]["tool_calls"]
        eq(json.loads(call["function"]["arguments"]), {"city": "Oslo", "days": 3}, "the repaired call")
        for key in (None, "another-key-6b1d"):
            eq(container.ask("POST", "/v1/chat/completions", WEATHER, key=key)[0], 401, "without the key")
        assert "<title>" in container.ask("GET", "/", key=None)[1]
        eq(Container(image, ["health"], root=container.root).wait(), 0, "health")
        process = Path(f"/proc/{container.first_process()}")
        [own] = re.findall(r"^NSpid:.*\t(\d+)$", (process / "status").read_text(), re.MULTILINE)
        eq((process.stat().st_uid, own), (65532, "1"), "user, and process of its namespace")
        code, seconds = container.stop()
        eq(code, 0, container.said())
        assert seconds < 5, f"it took {seconds:.1f} s to end"
    eq(Container(image, ["health"]).wait(), 1, "health without a server")
    kept = list((container.root / "data").iterdir())
    assert kept and all((path.stat().st_uid, path.stat().st_mode & 0o022) == (65532, 0) for path in kept), [path.stat() for path in kept]


# A stream that never ends does not keep the container from ending before `docker stop` kills it.
@check("SERVE-7")
def a_running_stream_ends_before_the_engine_kills(image):
    with running(Container(image, env=KEYS)) as container:
        session = json.loads(container.ask("POST", "/v1/sessions", {"agent": "react", "user": "ann", "model": "demo-hang"})[1])["session_id"]
        said = []
        reader = threading.Thread(target=lambda: said.append(container.ask("POST", f"/v1/sessions/{session}/messages", {"content": "Hello"})))
        reader.start()
        time.sleep(1)
        code, seconds = container.stop()
        reader.join()
        eq(code, 0, container.said())
        assert seconds < 10, f"it took {seconds:.1f} s to end"
        assert said[0][1].rstrip().endswith("data: [DONE]"), said


@check("SERVE-1")
def a_key_that_was_made_in_the_volume_opens_it(image):
    root = image.unpack()
    maker = Container(image, ["keys", "create", "--name", "first"], root=root)
    eq(maker.wait(), 0, maker.said())
    key = next(line for line in maker.said().splitlines() if not line.startswith("countersign: "))
    with running(Container(image, root=root)) as container:
        eq(container.ask("POST", "/v1/chat/completions", WEATHER, key=key)[0], 200)
        eq(container.ask("POST", "/v1/chat/completions", WEATHER, key=None)[0], 401)


@check("SERVE-7")
def a_configuration_file_in_its_folder_is_found(image):
    root = image.unpack()
    (root / "etc/countersign/countersign.toml").write_text("[sessions]\nlease = '4s'\n")
    shown = Container(image, ["config", "show"], root=root)
    eq(shown.wait(), 0, shown.said())
    assert "4s" in shown.said(), shown.said()


# A static binary resolves names by itself: from /etc/hosts, and from the name server of /etc/resolv.conf.
@check("SERVE-7")
def names_are_resolved(image):
    root = image.unpack()
    with (root / "etc/hosts").open("a") as hosts:
        hosts.write("127.0.0.7 by-hosts.test\n")
    with name_server({"by-dns.test": "127.0.0.8"}) as asked, listener("127.0.0.7", 8001), listener("127.0.0.8", 8002):
        env = KEYS | {"COUNTERSIGN_UPSTREAM_OPENAI": "http://by-hosts.test:8001/v1", "COUNTERSIGN_UPSTREAM_ANTHROPIC": "http://by-dns.test:8002"}
        doctor = Container(image, ["doctor", "--format", "json"], env=env, root=root)
        eq(doctor.wait(), 0, doctor.said())
        assert "by-hosts.test:8001 can be reached" in doctor.said() and "by-dns.test:8002 can be reached" in doctor.said(), doctor.said()
        assert "by-dns.test" in asked and "by-hosts.test" not in asked, asked
    lost = Container(image, ["doctor"], env=KEYS | {"COUNTERSIGN_UPSTREAM_OPENAI": "http://nowhere.test:8001/v1"}, root=root)
    eq(lost.wait(), 1, lost.said())


# The certificates of the image are those that upstreams are checked against.
@check("SERVE-6")
def upstreams_over_tls_are_checked_against_the_certificates_of_the_image(image):
    for trusted in (False, True):
        root = image.unpack()
        (root / "etc/hosts").write_text("127.0.0.9 models.test\n")
        authority = make_certificates(root.parent)
        if trusted:
            with (root / "etc/ssl/certs/ca-certificates.crt").open("a") as bundle:
                bundle.write(authority.read_text())
        with tls_upstream(root.parent, ("127.0.0.9", 8443)):
            env = KEYS | {"COUNTERSIGN_UPSTREAM_OPENAI": "https://models.test:8443/v1"}
            with running(Container(image, env=env, root=root)) as container:
                status, said = container.ask("POST", "/v1/chat/completions", {"model": "any", "messages": [{"role": "user", "content": "Hi"}]})
                eq(status, 200 if trusted else 502, said)
                assert not trusted or json.loads(said)["choices"][0]["message"]["content"] == "over TLS", said


def version():
    line = next(line for line in Path("Cargo.toml").read_text().splitlines() if line.startswith("version = "))
    return line.split('"')[1]


@contextlib.contextmanager
def listener(*address):
    with socket.create_server(address):
        yield


@contextlib.contextmanager
def name_server(addresses):
    """Answers questions for IPv4 addresses on port 53; gives the names that were asked for."""
    asked = []
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))

    def serve():
        with contextlib.suppress(OSError):
            while True:
                question, peer = server.recvfrom(512)
                labels, at = [], 12
                while question[at]:
                    labels.append(question[at + 1 : at + 1 + question[at]].decode())
                    at += 1 + question[at]
                name, end = ".".join(labels), at + 5
                asked.append(name)
                found = addresses.get(name) if question[at + 1 : at + 3] == b"\0\1" else None
                head = question[:2] + struct.pack(">HHHHH", 0x8180 if name in addresses else 0x8183, 1, 1 if found else 0, 0, 0)
                answer = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + socket.inet_aton(found) if found else b""
                server.sendto(head + question[12:end] + answer, peer)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield asked
    finally:
        server.close()


def make_certificates(folder):
    """An authority of our own, and a certificate of it for models.test."""
    authority, key, request, certificate = (folder / name for name in ("ca.pem", "ca.key", "models.csr", "models.pem"))
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=check",
        "-keyout", key, "-out", authority)
    run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=models.test", "-keyout", folder / "models.key", "-out", request)
    (folder / "models.ext").write_text("subjectAltName=DNS:models.test\nextendedKeyUsage=serverAuth\n")
    run("openssl", "x509", "-req", "-in", request, "-CA", authority, "-CAkey", key, "-days", "2", "-extfile", folder / "models.ext", "-out", certificate)
    return authority


@contextlib.contextmanager
def tls_upstream(folder, address):
    """A model over TLS that always gives the same answer."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            message = {"role": "assistant", "content": "over TLS"}
            body = json.dumps({"id": "1", "object": "chat.completion", "model": "any", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(address, Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "models.pem", folder / "models.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
