// Bill writes for each binary of a release what it is made of, as a software bill of materials in the form of CycloneDX: the
// modules that Go linked into it, by their checksums, and what is embedded, each with the licence that licences.txt has for it.
//
//	go run ./bill ../../release/lectern-linux-amd64     # writes lectern-linux-amd64.cdx.json beside it
package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	for _, name := range os.Args[1:] {
		if err := write(name); err != nil {
			fmt.Fprintf(os.Stderr, "bill: %s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

// write writes the bill of a binary. It tells no time and no number of its own, so that a commit has one.
func write(name string) error {
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		return err
	}
	b, err := bill(filepath.Base(name), info)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&text, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(b); err != nil {
		return err
	}
	return os.WriteFile(name+".cdx.json", text.Bytes(), 0o644)
}

func bill(name string, info *buildinfo.BuildInfo) (*cyclonedx.BOM, error) {
	licences := Licences()
	b := cyclonedx.NewBOM()
	b.SerialNumber = ""
	main := component(info.Main.Path, info.Main.Version, "Apache-2.0")
	main.Type, main.Name = cyclonedx.ComponentTypeApplication, name
	b.Metadata = &cyclonedx.Metadata{Component: &main}
	var parts []cyclonedx.Component
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		licence, ok := licences[m.Path+" "+m.Version]
		if !ok {
			return nil, fmt.Errorf("licences.txt has no %s %s; write it anew with `cd server/deploy && go test ./bill -update`", m.Path, m.Version)
		}
		c := component(m.Path, m.Version, licence)
		if err := sum(&c, m); err != nil {
			return nil, err
		}
		parts = append(parts, c)
	}
	for _, e := range embedded {
		c := component(e.name, e.version, licences[e.name+" "+e.version])
		c.PackageURL, c.BOMRef = "pkg:npm/"+e.name+"@"+e.version, "pkg:npm/"+e.name+"@"+e.version
		parts = append(parts, c)
	}
	std := component("std", info.GoVersion, "BSD-3-Clause")
	parts = append(parts, std)
	b.Components = &parts
	return b, nil
}

func component(path, version, licence string) cyclonedx.Component {
	url := "pkg:golang/" + path + "@" + version
	return cyclonedx.Component{
		Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: url, BOMRef: url,
		Licenses: &cyclonedx.Licenses{{Expression: licence}},
	}
}

// sum adds a module's checksum, of which go.sum has the same in base64.
func sum(c *cyclonedx.Component, m *debug.Module) error {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil || len(raw) != 32 {
		return fmt.Errorf("%s has the checksum %q", m.Path, m.Sum)
	}
	c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(raw)}}
	return nil
}
