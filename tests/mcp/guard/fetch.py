"""Fetches the source of the pinned Python SDK and takes its everything server out: `fetch.py FOLDER`. Nothing is built, because pip would want to."""
import html
import io
import re
import sys
import tarfile
import urllib.parse
import urllib.request
from importlib.metadata import version
from pathlib import Path
from subprocess import run

folder, release = Path(sys.argv[1]), version("mcp")
said = run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
index = (said.stdout.strip() or "https://pypi.org/simple").rstrip("/") + "/mcp/"
page = urllib.request.urlopen(index, timeout=60).read().decode()
url = html.unescape(re.search(rf'href="([^"]*/mcp-{re.escape(release)}\.tar\.gz[^"]*)"', page)[1])
source = urllib.request.urlopen(urllib.parse.urljoin(index, url), timeout=120).read()
place = f"mcp-{release}/examples/servers/everything-server/"
with tarfile.open(fileobj=io.BytesIO(source)) as archive:
    for member in archive.getmembers():
        if member.name.startswith(place) and member.isfile():
            file = folder / "everything-server" / member.name[len(place) :]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(archive.extractfile(member).read())
