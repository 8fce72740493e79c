"""Serves SmolLM2-135M-Instruct on loopback, in the dialects of OpenAI and Anthropic, until standard input ends.

    python model.py FILE.gguf
"""

import sys

import xllamacpp


def main() -> None:
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 8192
    params.n_parallel = 1
    params.n_predict = 200
    params.cpuparams.n_threads = 1  # on a busy machine more threads wait for each other
    params.cpuparams_batch.n_threads = 2
    params.use_jinja = True
    params.warmup = False
    params.verbosity = -1
    server = xllamacpp.Server(params)
    print(f"listening on {server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
