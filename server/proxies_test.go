package server_test

import (
	"testing"

	"github.com/lectern-dev/lectern/server"
)

func TestProxies(t *testing.T) {
	tests := []struct {
		text, want string // a want of "error" is one
	}{
		{"", ""},
		{"10.0.0.1", "10.0.0.1/32"},
		{"10.1.2.3/8", "10.0.0.0/8"},
		{"::1, 10.0.0.0/8 ,192.0.2.7", "::1/128,10.0.0.0/8,192.0.2.7/32"},
		{"::ffff:10.0.0.1", "10.0.0.1/32"},
		{"10.0.0.1/33", "error"},
		{"10.0.0", "error"},
		{"proxy.example", "error"},
		{"fe80::1%eth0", "error"},
		{"10.0.0.1:80", "error"},
	}
	for _, tt := range tests {
		var p server.Proxies
		err := p.UnmarshalText([]byte(tt.text))
		if (err != nil) != (tt.want == "error") || err == nil && p.String() != tt.want {
			t.Errorf("UnmarshalText(%q) = %v, %v, want %s", tt.text, p, err, tt.want)
		}
	}
}
