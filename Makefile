.DEFAULT_GOAL := help

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0
TIMEOUT     := 20m
MINUTES     := 30
# What outside tools test and measure is in modules of its own: who imports Lectern downloads nothing for them.
TESTED      := . server/internal/tools/docs server/internal/tools/bench server/internal/tools/trials server/deploy
MODULES     := $(TESTED) server/internal/tools/clients

.PHONY: help
help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build ./lectern
	CGO_ENABLED=0 go build -trimpath -o lectern ./server/cmd/lectern

.PHONY: release
release: ## build ./release for Linux, macOS and Windows, with SHA-256 sums; ARGS="linux/amd64"
	server/deploy/release $(ARGS)

.PHONY: test
test: ## run every test, on SQLite and on a temporary PostgreSQL
	.ci/with-chromium .ci/with python3 curl systemd-analyze:systemd pgbouncer -- .ci/with-postgres sh -c \
		'failed=0; for m in $(TESTED); do (cd $$m && go test -race -shuffle=on -timeout $(TIMEOUT) ./...) || failed=1; done; exit $$failed'

.PHONY: vet
vet: ## look for mistakes: go vet, gofmt
	for m in $(MODULES); do (cd $$m && go vet ./...) || exit; done
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not gofmt'ed: $$unformatted" >&2; exit 1; fi

.PHONY: lint
lint: vet ## vet and staticcheck
	for m in $(MODULES); do (cd $$m && go run $(STATICCHECK) ./...) || exit; done

.PHONY: vulns
vulns: ## look for known weaknesses of what is linked; DB=file:///folder of a downloaded database
	.ci/vulns $(GOVULNCHECK) $(DB)

.PHONY: clients
clients: ## have generated clients and others' tools use a server: Specmatic, newman, Prism, DuckDB, promtool, LibreOffice
	cd server/internal/tools/clients && ../../../../.ci/with node:nodejs npm java:default-jre-headless promtool:prometheus soffice:libreoffice-calc-nogui -- \
		go test -count=1 -timeout $(TIMEOUT) ./...

.PHONY: fuzz
fuzz: ## fuzz every decoder, parser and cursor; MINUTES=30 over all of them
	.ci/fuzz $(MINUTES)

.PHONY: bench
bench: ## measure the binary and write BENCHMARKS.md; ARGS="-sizes 1000x365,10000x365"
	cd server/internal/tools/bench && ../../../../.ci/with node:nodejs npm -- ../../../../.ci/with-postgres go run . $(ARGS)

SEED := 1

.PHONY: trials
trials: ## have the product break itself, on both engines; SEED=1 MINUTES=30, PLAN=FILE, BINARY=FILE, ARGS="-load 10"
	cd server/internal/tools/trials && ../../../../.ci/with-postgres go run . -seed $(SEED) -minutes $(MINUTES) \
		$(if $(PLAN),-plan $(abspath $(PLAN))) $(if $(BINARY),-binary $(abspath $(BINARY))) $(ARGS)

.PHONY: house
house: ## print lines, types, and the files on five ways through the code; ARGS="-at COMMIT"
	.ci/house $(ARGS)
