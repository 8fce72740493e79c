"""TensorZero's gateway, as its Python package carries it: `tensorzero_server.py CONFIG PORT_FILE`; it chooses its port."""
import pathlib, sys, threading

import tensorzero.tensorzero as package

gateway = package._start_http_gateway(config_file=sys.argv[1], clickhouse_url=None, postgres_url=None, valkey_url=None, async_setup=False)
port = gateway.base_url.split("//", 1)[1].split("/", 1)[0].rsplit(":", 1)[1]
pathlib.Path(sys.argv[2]).write_text(port + "\n")
print(gateway.base_url, flush=True)
threading.Event().wait()
