package auth_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"pgregory.net/rapid"
)

func ExampleBox() {
	box, err := auth.NewBox(bytes.Repeat([]byte{1}, 32)) // from crypto/rand outside examples
	if err != nil {
		fmt.Println(err)
		return
	}
	sealed, err := box.Seal("7-3", "secret")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(box.Open("7-3", sealed))
	_, err = box.Open("7-4", sealed)
	fmt.Println(err)
	// Output:
	// secret <nil>
	// sealed with another key, for another id, or damaged
}

func newBox(tb testing.TB, fill byte) *auth.Box {
	tb.Helper()
	box, err := auth.NewBox(bytes.Repeat([]byte{fill}, 32))
	if err != nil {
		tb.Fatal(err)
	}
	return box
}

func TestNewBox(t *testing.T) {
	for _, n := range []int{0, 16, 24, 31, 33, 64} {
		if box, err := auth.NewBox(make([]byte, n)); err == nil || box != nil {
			t.Errorf("NewBox of %d bytes = %v, want an error", n, box)
		}
	}
}

func TestBoxWithoutKey(t *testing.T) {
	for name, box := range map[string]*auth.Box{"nil": nil, "zero": {}} {
		if sealed, err := box.Seal("7-3", "secret"); !errors.Is(err, auth.ErrBox) || sealed != nil {
			t.Errorf("Seal with a %s box = %v, %v, want ErrBox", name, sealed, err)
		}
		if secret, err := box.Open("7-3", make([]byte, 64)); !errors.Is(err, auth.ErrBox) || secret != "" {
			t.Errorf("Open with a %s box = %q, %v, want ErrBox", name, secret, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	box := newBox(t, 1)
	sealed, err := box.Seal("7-3", secret)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, box *auth.Box, id string, sealed []byte) {
		t.Helper()
		if got, err := box.Open(id, sealed); err != auth.ErrSealed || got != "" {
			t.Errorf("%s: Open = %q, %v, want ErrSealed", name, got, err)
		}
	}
	check("wrong key", newBox(t, 2), "7-3", sealed)
	for _, id := range []string{"", "7-4", "77-3", "7-33", "07-3"} {
		check("wrong id", box, id, sealed)
	}
	for i := range sealed {
		for bit := range 8 {
			altered := bytes.Clone(sealed)
			altered[i] ^= 1 << bit
			check(fmt.Sprintf("bit %d of byte %d", bit, i), box, "7-3", altered)
		}
		check(fmt.Sprintf("truncated to %d bytes", i), box, "7-3", sealed[:i])
	}
	check("an extra byte", box, "7-3", append(bytes.Clone(sealed), 0))
	check("nothing", box, "7-3", nil)
}

// TestBoxRoundTrip tests that a sealed secret is hidden, differs each time, and opens under the same key and id.
func TestBoxRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "key")
		id, secret := rapid.String().Draw(t, "id"), rapid.StringN(4, -1, -1).Draw(t, "secret")
		box, err := auth.NewBox(key)
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := box.Seal(id, secret)
		if err != nil || bytes.Contains(sealed, []byte(secret)) {
			t.Fatalf("Seal(%q, %q) = %x, %v, want it without the plain secret", id, secret, sealed, err)
		}
		again, err := box.Seal(id, secret)
		if err != nil || bytes.Equal(again, sealed) {
			t.Fatalf("Seal(%q, %q) = %x twice, %v, want two different results", id, secret, again, err)
		}
		other, err := auth.NewBox(key)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := other.Open(id, sealed); got != secret || err != nil {
			t.Fatalf("Open(%q) = %q, %v, want %q", id, got, err, secret)
		}
	})
}

// FuzzOpen checks that no stored value makes Open panic.
func FuzzOpen(f *testing.F) {
	f.Add("7-3", []byte{1})
	f.Add("7-3", append([]byte{1}, make([]byte, 71)...))
	f.Fuzz(func(t *testing.T, id string, sealed []byte) {
		if got, err := newBox(t, 1).Open(id, sealed); err != auth.ErrSealed || got != "" {
			t.Fatalf("Open(%q, %x) = %q, %v, want ErrSealed", id, sealed, got, err)
		}
	})
}
