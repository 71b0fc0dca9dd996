package spill

import "testing"

// A part whose file has lost its end is an error, and not zeros in the place of what was set aside.
func TestCutFile(t *testing.T) {
	p := Pile{Dir: t.TempDir(), Limit: 1}
	defer p.Close()
	if err := p.Add(3, []byte("set aside")); err != nil {
		t.Fatal(err)
	}
	if err := p.parts[3].file.Truncate(4); err != nil {
		t.Fatal(err)
	}
	if err := p.Split(3, &Pile{}, func(data []byte) (int, int) { return 1, 0 }); err == nil {
		t.Error("Split of a file that was cut succeeds")
	}
	if data, err := p.Part(3); err == nil {
		t.Errorf("Part of a file that was cut = %q, want an error", data)
	}
}
