package web

import (
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// weight matches a weight of RFC 9110, 12.4.2.
var weight = regexp.MustCompile(`^(0(\.[0-9]{0,3})?|1(\.0{0,3})?)$`)

// FuzzThousandths checks thousandths against the grammar of a weight.
func FuzzThousandths(f *testing.F) {
	for _, s := range []string{"1", "0", "0.5", "1.000", "0.1234", "1.001", "", ".5", "0.+5", "00.5", "1.", "0.٥"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := thousandths(s)
		if ok != weight.MatchString(s) {
			t.Fatalf("thousandths(%q) = %d, %t, want %t", s, n, ok, !ok)
		}
		if _, digits, _ := strings.Cut(s, "."); ok && n != int(s[0]-'0')*1000+thousand(digits) {
			t.Errorf("thousandths(%q) = %d", s, n)
		}
	})
}

func thousand(digits string) (n int) {
	for i, unit := range []int{100, 10, 1} {
		if i < len(digits) {
			n += unit * int(digits[i]-'0')
		}
	}
	return n
}

// FuzzAccept checks any Accept and Accept-Encoding. The chosen form exists, the first form wins a tie, and a coding that
// the header refuses is not chosen.
func FuzzAccept(f *testing.F) {
	for _, s := range []string{"text/csv", "text/csv;profile=pt-BR, */*;q=0.1", "gzip, zstd;q=0", "*;q=0", "identity;q=0, gzip;q=0.001", "a/b;q=\",\"", ";;,=", "gzip;q=2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if form := accepted([]string{header}); int(form) >= len(contentTypes) {
			t.Fatalf("accepted(%q) = form %d, want a known one", header, form)
		}
		// The first type has the highest weight, so it wins whatever follows.
		if got := accepted([]string{"application/x-ndjson", header}); got != formatNDJSON && !strings.Contains(header, "ndjson") {
			t.Errorf("accepted(NDJSON, %q) = form %d, want NDJSON", header, got)
		}
		if accepted([]string{header}) != accepted(strings.Split(header, ",")) {
			t.Errorf("accepted(%q) differs if the header is split into lines", header)
		}
		for _, plain := range []bool{false, true} {
			coding := acceptedCodings([]string{header}).choose(plain)
			c := acceptedCodings([]string{header})
			switch {
			case coding == zstded && c.zstd == 0, coding == gzipped && c.gzip == 0:
				t.Errorf("Accept-Encoding %q: %s, which is refused", header, coding)
			case coding == zstded && !strings.Contains(strings.ToLower(header), "zstd"):
				t.Errorf("Accept-Encoding %q: zstd, which is not named", header)
			case coding == identity && c.identity == 0 && (c.zstd > 0 || c.gzip > 0):
				t.Errorf("Accept-Encoding %q: plain, which is refused", header)
			}
		}
	})
}

// FuzzPairs checks Pairs against package url for every query that url accepts.
func FuzzPairs(f *testing.F) {
	for _, s := range []string{"a=1&b=2&a=3", "&&a&=&b=", "a=%zz&%=1", "a%20b=c+d%26", "a;b=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got := url.Values{}
		for name, value := range Pairs(raw) {
			got.Add(name, value)
		}
		want, err := url.ParseQuery(raw)
		if err == nil && got.Encode() != want.Encode() {
			t.Errorf("Pairs(%q) = %v, want %v", raw, got, want)
		}
	})
}

// FuzzClient checks that Client returns an address or nothing. Without a trusted proxy, it returns the connection's
// address, whatever a header says.
func FuzzClient(f *testing.F) {
	f.Add("10.0.0.1:4000", "1.2.3.4, 10.0.0.2", uint8(8))
	f.Add("[::ffff:10.0.0.1]:1", "[2001:db8::1]:80,unknown, ", uint8(0))
	f.Add("[fe80::1%eth0]:1", ",", uint8(32))
	f.Fuzz(func(t *testing.T, remote, forwarded string, bits uint8) {
		r := &http.Request{RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": {forwarded}}}
		direct := Client(&http.Request{RemoteAddr: remote}, nil)
		if got := Client(r, nil); got != direct {
			t.Errorf("Client of %q with %q and no proxies = %q, want %q", remote, forwarded, got, direct)
		}
		proxy := netip.PrefixFrom(netip.MustParseAddr("10.0.0.0"), int(bits)%33).Masked()
		got := Client(r, []netip.Prefix{proxy})
		a, err := netip.ParseAddr(got)
		if got != "" && (err != nil || a.Is4In6() || a.Zone() != "") || (got == "") != (direct == "") {
			t.Fatalf("Client of %q with %q = %q, want an address", remote, forwarded, got)
		}
		if was, err := netip.ParseAddr(direct); err == nil && !proxy.Contains(was) && got != direct {
			t.Errorf("Client of %q, which is no proxy, with %q = %q, want the connection's address", remote, forwarded, got)
		}
	})
}
