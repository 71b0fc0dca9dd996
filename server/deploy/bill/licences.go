package main

import (
	"bufio"
	_ "embed"
	"strings"
)

//go:embed licences.txt
var licences string

// Licences returns the licence of each part, by its name and version.
func Licences() map[string]string {
	found := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(licences))
	for lines.Scan() {
		part, licence, _ := strings.Cut(lines.Text(), "\t")
		found[part] = licence
	}
	return found
}

// embedded are the files of others that are in the binary and are no modules of Go: their packages of npm, and where they are.
var embedded = []struct{ name, version, folder string }{
	{"uplot", "1.6.32", "server/internal/explore/page/uplot"},
	{"@noble/hashes", "2.4.0", "server/openapi/page/noble-hashes"},
	{"swagger-ui-dist", "5.35.0", "server/openapi/page/swagger-ui"},
}
