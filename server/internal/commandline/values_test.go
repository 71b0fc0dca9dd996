package commandline_test

import (
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server/internal/commandline"
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
		var g commandline.Grace
		if err := g.UnmarshalText([]byte(tt.text)); err != nil || time.Duration(g) != tt.want {
			t.Errorf("grace %q = %v, %v, want %v", tt.text, time.Duration(g), err, tt.want)
		}
	}
	for _, text := range []string{"", "d", "-1d", "+1d", "1.5d", "65536d", "7", "-1s", "7 d", "7d12h"} {
		if err := new(commandline.Grace).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("grace %q = nil, want an error", text)
		}
	}
}
