# The only commands a newcomer needs: run, demo, test, check, bench, fuzz.

CARGO ?= cargo
# What `make run` builds: quick to build, quick enough to use. `make release` builds what is shipped.
BIN := target/quick/countersign
FUZZ_SECONDS ?= 60
TURNS ?= 30
SOAK_MINUTES ?= 60

.PHONY: $(BIN) run demo soak wording test test-llm test-agents test-image check bench fuzz docs console screenshots deny sbom image release

run: $(BIN) ## builds and starts the server on http://127.0.0.1:7420: no account, no network, a demo model answers (ARGS='--listen …')
	@$(BIN) serve $(ARGS)

demo: $(BIN) ## shows what it catches: a tour of the gateway, then calls, outputs and claims
	@$(BIN) demo --format human
	@$(BIN) check --format human examples/demo.jsonl || [ $$? -eq 1 ]
	@$(BIN) parse --format human examples/parse.jsonl
	@$(BIN) factcheck --format human examples/factcheck.jsonl || [ $$? -eq 1 ]

# Cargo knows whether there is anything to do, and shows how far it is.
$(BIN):
	@[ -e $(BIN) ] || echo "building countersign: about five minutes the first time, on two cores"
	@$(CARGO) build --profile quick --bin countersign

test: ## the whole test suite; installs redis-server, postgresql and chromium where they are missing (as root), MCP servers, and the clients
	./tools/test-servers
	./tools/test-mcp-servers
	$(CARGO) test --workspace --all-features
	./tools/test-clients
	./tools/test-python
	./tools/test-npm
	./tools/test-mcp-guard
	./tools/test-sarif
	./tools/test-blackbox
	./tools/test-docs
	./tools/test-image
	./tools/test-console
	./tools/test-sign-in

test-llm: ## a real small model behind the gateway (TURNS turns) and under hosted agents (HOSTED_TURNS) (downloads 100 MB once)
	./tools/test-llm $(TURNS)

test-agents: ## real coding agents (Claude Code, Codex CLI, Gemini CLI) with the guard, against a scripted model on loopback (downloads 400 MB once)
	./tools/test-agents

test-image: ## builds the image cheaply, starts it and asks it; the compose file, the systemd unit and the release, as far as they can be tried here (needs root)
	./tools/test-image

check: ## formatting, lints, documentation, and licences and sources of the dependencies, as CI runs them
	./tools/dependencies check
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet

bench: ## speed: instructions and time, with the peers beside it
	./bench/run

soak: $(BIN) ## SOAK_MINUTES (60) under load and faults: two nodes, agents, gateway, reviews, kills, restarts of PostgreSQL and Redis, clock jumps
	./tools/test-servers
	./bench/soak/run.py --minutes $(SOAK_MINUTES) --program $(BIN)

wording: ## learns again what wording weighs, from bench/wording/corpus, and prints how well it does on rows that were held back
	for question in orders results answers claims deeds; do ./bench/wording/learn $$question --held-out-only --write; done

fuzz: ## every fuzz target for FUZZ_SECONDS each
	./fuzz/run $(FUZZ_SECONDS)

docs: $(BIN) ## the pages that are written from the code
	$(BIN) explain --write docs/rules
	$(BIN) config docs > docs/configuration.md
	$(BIN) events schema > docs/events.schema.json
	$(BIN) events types > docs/events.d.ts

console: ## builds console/dist from console/src; commit what it makes (the binary embeds it, and needs no Node for that)
	./tools/build-console

screenshots: ## docs/screens: every screen of the console, light, dark, Chinese and small
	$(CARGO) build --quiet --bin countersign
	./tools/build-console target/console/dist
	cd console && node tests/screenshots.mjs

deny: ## the same with cargo-deny, and advisories when their database is at hand (in CARGO_HOME/advisory-db)
	command -v cargo-deny >/dev/null || $(CARGO) install --locked cargo-deny
	cargo-deny check licenses bans sources
	@if [ -d "$${CARGO_HOME:-$$HOME/.cargo}/advisory-db" ]; then cargo-deny check --disable-fetch advisories; \
	else echo "no advisory database at hand: advisories were not checked (cargo-deny fetch db brings it)"; fi

sbom: ## target/countersign.cdx.json: every crate and package of the binary, as CycloneDX 1.6
	@mkdir -p target
	./tools/dependencies sbom > target/countersign.cdx.json
	@echo "target/countersign.cdx.json"

image: ## target/image: a static binary in an image from scratch, for `docker load`; made with buildah, which is installed where it is missing (as root)
	./tools/build-image

release: ## target/dist: the static binary with its papers, the image, the bill of materials, and their checksums
	./tools/build-release
