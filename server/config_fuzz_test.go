package server_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server"
)

// FuzzUsersQueue tests that an accepted queue is valid, and that its text gives the same queue again.
func FuzzUsersQueue(f *testing.F) {
	for _, s := range []string{"2,16,5s", "0,0,0s", "1,0,0", "65535,65536,1s", "1,1,-1s", "1,1", "+1,1,1s", "1,1,2562047h47m16.854775807s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var q, again server.UsersQueue
		if err := q.UnmarshalText([]byte(text)); err != nil {
			if q != again {
				t.Errorf("UnmarshalText(%q) fails, and the queue is %v, want no change", text, q)
			}
			return
		}
		if q.AtATime < 1 || q.Waiting < 0 || q.Wait < 0 {
			t.Errorf("UnmarshalText(%q) = %v, want a valid queue", text, q)
		}
		if err := again.UnmarshalText([]byte(q.String())); err != nil || again != q {
			t.Errorf("UnmarshalText(%q) = %v, and parsed again from its text %v, %v", text, q, again, err)
		}
	})
}

// FuzzSecretKey tests that an accepted key has 32 bytes, and that the base64 of 32 bytes is accepted.
func FuzzSecretKey(f *testing.F) {
	key := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	for _, s := range []string{"", " \n", key, " " + key + "\n", key[:len(key)-1], key + "AAAA", strings.ReplaceAll(key, "B", "-")} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := server.ParseSecretKey(text)
		switch blank := strings.TrimSpace(text) == ""; {
		case blank && (got != nil || err != nil):
			t.Errorf("ParseSecretKey(%q) = %x, %v, want no key", text, got, err)
		case !blank && err == nil && len(got) != 32, err != nil && got != nil:
			t.Errorf("ParseSecretKey(%q) = %x, %v, want 32 bytes or an error", text, got, err)
		}
		if len(text) == 32 {
			if got, err := server.ParseSecretKey(base64.StdEncoding.EncodeToString([]byte(text))); err != nil || string(got) != text {
				t.Errorf("ParseSecretKey of the base64 of %x = %x, %v", text, got, err)
			}
		}
	})
}
