.DEFAULT_GOAL := help

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0
TIMEOUT     := 20m
MINUTES     := 30
# Developers' tools are modules of their own, so that importing Lectern downloads nothing for them.
TOOLS       := server/internal/tools
MODULES     := . $(TOOLS)/docs $(TOOLS)/bench $(TOOLS)/trials server/deploy $(TOOLS)/clients

.PHONY: help
help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build ./lectern
	CGO_ENABLED=0 go build -trimpath -o lectern ./server/cmd/lectern

.PHONY: release
release: ## build ./release for Linux, macOS and Windows, with SHA-256 sums; ARGS="linux/amd64"
	server/deploy/release $(ARGS)

SHORT := go test -short -p 4 -shuffle=on -timeout $(TIMEOUT)
# The packages that take longest begin first.
SLOWEST := ./server ./examples ./paging/snapshot/snapshotdb ./server/cmd/lectern

# each runs a command in several modules and fails if it fails in any of them.
each = failed=0; for m in $(1); do (cd $$m && $(2)) || failed=1; done; exit $$failed

# The tests build binaries, as make build does: with the same settings each package is compiled once. More packages at once than
# there are processors: many tests wait, for a lock, a lease or a silent server. The trials run beside them.
.PHONY: test
test: ## test rules, stores, HTTP, commands and README on SQLite and a temporary PostgreSQL, and half a minute of trials
	CGO_ENABLED=0 GOFLAGS="$$(go env GOFLAGS) -trimpath" .ci/with python3 curl -- .ci/with-postgres sh -c \
		'(cd $(TOOLS)/trials && $(SHORT) ./...) & trials=$$!; $(SHORT) $(SLOWEST) ./...; failed=$$?; wait $$trials && exit $$failed'

.PHONY: verify
verify: ## test with the race detector, PgBouncer, a browser and systemd; test release and bench; two minutes of trials
	.ci/with-chromium .ci/with python3 curl systemd-analyze:systemd pgbouncer cc:build-essential -- .ci/with-postgres sh -c \
		'$(call each,. $(TOOLS)/docs $(TOOLS)/bench server/deploy,go test -race -shuffle=on -timeout $(TIMEOUT) ./...)'
	$(MAKE) trials SEED=5 MINUTES=2

.PHONY: vet
vet: ## look for mistakes: go vet, gofmt
	@$(call each,$(MODULES),go vet ./...)
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not gofmt'ed: $$unformatted" >&2; exit 1; fi

.PHONY: lint
lint: vet ## vet and staticcheck
	@$(call each,$(MODULES),go run $(STATICCHECK) ./...)

.PHONY: vulns
vulns: ## look for known weaknesses of what is linked; DB=file:///folder of a downloaded database
	.ci/vulns $(GOVULNCHECK) $(DB)

.PHONY: clients
clients: ## have generated clients and others' tools use a server: Specmatic, newman, Prism, DuckDB, promtool, LibreOffice
	cd $(TOOLS)/clients && ../../../../.ci/with node:nodejs npm java:default-jre-headless promtool:prometheus soffice:libreoffice-calc-nogui -- \
		go test -count=1 -timeout $(TIMEOUT) ./...

.PHONY: fuzz
fuzz: ## fuzz every decoder, parser and cursor; MINUTES=30 over all of them
	.ci/fuzz $(MINUTES)

.PHONY: bench
bench: ## measure the binary and write BENCHMARKS.md; ARGS="-sizes 10000x365 -beside COMMIT"
	cd $(TOOLS)/bench && ../../../../.ci/with node:nodejs npm -- ../../../../.ci/with-postgres go run . $(ARGS)

SEED := 1

.PHONY: trials
trials: ## inject faults at random on both engines and compare every answer with a model; SEED=1 MINUTES=30, BINARY=FILE, ARGS=-v
	cd $(TOOLS)/trials && ../../../../.ci/with-postgres go run . -seed $(SEED) -minutes $(MINUTES) \
		$(if $(BINARY),-binary $(abspath $(BINARY))) $(ARGS)

.PHONY: house
house: ## print lines, types, and the files on five ways through the code; ARGS="-at COMMIT"
	.ci/house $(ARGS)
