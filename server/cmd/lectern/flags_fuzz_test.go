package main

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzGrace tests that a grace is a duration of package time or a number of whole days, and is not negative.
func FuzzGrace(f *testing.F) {
	for _, s := range []string{"7d", "0d", "65535d", "65536d", "-1d", "1.5d", "12h", "0s", "-1s", "2562047h47m16.854775807s", "d", "1ns", "", "٣d"} {
		f.Add(s)
	}
	days := regexp.MustCompile(`^[0-9]+d$`)
	f.Fuzz(func(t *testing.T, text string) {
		var g grace
		want, err := time.ParseDuration(text)
		isGrace := err == nil && want >= 0
		if days.MatchString(text) {
			n, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
			want, isGrace = time.Duration(n)*24*time.Hour, err == nil && n < 1<<16
		}
		if got := g.UnmarshalText([]byte(text)); (got == nil) != isGrace || got == nil && time.Duration(g) != want {
			t.Errorf("UnmarshalText(%q) = %v, %v, want %v and success: %t", text, time.Duration(g), got, want, isGrace)
		}
	})
}

// FuzzProxies tests that accepted networks are valid and masked, and that their text gives the same networks again.
func FuzzProxies(f *testing.F) {
	for _, s := range []string{"10.0.0.0/8,::1", "", " , ", "::ffff:10.1.2.3", "::ffff:10.0.0.0/104", "fe80::1%eth0", "10.1.2.3/8", "10.0.0.0/33"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var p, again proxies
		if err := p.UnmarshalText([]byte(text)); err != nil {
			if p != nil {
				t.Errorf("UnmarshalText(%q) fails, and the networks are %v, want none", text, p)
			}
			return
		}
		var texts []string
		for _, network := range p {
			if !network.IsValid() || network != network.Masked() {
				t.Errorf("UnmarshalText(%q) has %v, want a valid, masked network", text, network)
			}
			texts = append(texts, network.String())
		}
		if err := again.UnmarshalText([]byte(strings.Join(texts, ","))); err != nil || !slices.EqualFunc(again, p, func(x, y netip.Prefix) bool { return x == y }) {
			t.Errorf("UnmarshalText(%q) = %v, and parsed again from its text %v, %v", text, p, again, err)
		}
	})
}
