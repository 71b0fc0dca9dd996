// Package deploy holds no code but tests of the files beside it, by which Lectern is built and run: an image, a server with its
// database in containers, units of systemd, and releases.
//
//	Dockerfile              an image with only the binary
//	compose.yaml            a server and PostgreSQL
//	lectern.service         the server, and
//	lectern-load.timer      the hourly load of the feeds that have changed
//	prometheus              alerts for Prometheus, their tests (promtool test rules alerts_test.yml), and a dashboard for Grafana
//	release                 the binary for six systems, and what they are to be checked by: make release
//
// Without a daemon of containers or of systemd they are held to this: others' parsers read them without a warning; every command
// line in them is one that the binary takes, every variable one that it knows, and paths and ports agree; systemd rates each
// service 3.0 or better; a release of one commit is the same bytes in two folders. The commands of server/README.md copy the units and run
// what they run: see examples.
//
// It is a module of its own, so that the product does not depend on those parsers.
package deploy
