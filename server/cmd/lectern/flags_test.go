package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

func TestGrace(t *testing.T) {
	tests := []struct {
		text string
		want time.Duration
	}{
		{"7d", 7 * 24 * time.Hour},
		{"0d", 0},
		{"0", 0},
		{"12h", 12 * time.Hour},
		{"1h30m", 90 * time.Minute},
		{"65535d", 65535 * 24 * time.Hour},
	}
	for _, tt := range tests {
		var g grace
		if err := g.UnmarshalText([]byte(tt.text)); err != nil || time.Duration(g) != tt.want {
			t.Errorf("grace %q = %v, %v, want %v", tt.text, time.Duration(g), err, tt.want)
		}
	}
	for _, text := range []string{"", "d", "-1d", "+1d", "1.5d", "65536d", "7", "-1s", "7 d", "7d12h"} {
		if err := new(grace).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("grace %q = nil, want an error", text)
		}
	}
}

func TestShards(t *testing.T) {
	for args, want := range map[string]string{ // "" wants an error
		"": "{false 0}", "--shards": "{true 0}", "--shards=1": "{true 1}", "--shards=32000": "{true 32000}", "--shards x": "{true 0}",
		"--shards=0": "", "--shards=-1": "", "--shards=32001": "", "--shards=x": "", "--shards=": "",
	} {
		var c struct {
			Shards shards
			Word   string `arg:"" optional:""`
		}
		k, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = k.Parse(strings.Fields(args))
		if (err != nil) != (want == "") || err == nil && fmt.Sprint(c.Shards) != want {
			t.Errorf("%s = %v, %v, want %s", args, c.Shards, err, want)
		}
	}
}

func TestProxies(t *testing.T) {
	tests := []struct{ text, want string }{ // "error" wants an error
		{"", "[]"},
		{"10.0.0.1", "[10.0.0.1/32]"},
		{"10.1.2.3/8", "[10.0.0.0/8]"},
		{"::1, 10.0.0.0/8 ,192.0.2.7", "[::1/128 10.0.0.0/8 192.0.2.7/32]"},
		{"::ffff:10.0.0.1", "[10.0.0.1/32]"},
		{"10.0.0.1/33", "error"},
		{"10.0.0", "error"},
		{"proxy.example", "error"},
		{"fe80::1%eth0", "error"},
		{"10.0.0.1:80", "error"},
	}
	for _, tt := range tests {
		var p proxies
		err := p.UnmarshalText([]byte(tt.text))
		if (err != nil) != (tt.want == "error") || err == nil && fmt.Sprint(p) != tt.want {
			t.Errorf("UnmarshalText(%q) = %v, %v, want %s", tt.text, p, err, tt.want)
		}
	}
}
