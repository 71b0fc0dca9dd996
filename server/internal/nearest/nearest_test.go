package nearest_test

import (
	"testing"

	"github.com/lectern-dev/lectern/server/internal/nearest"
)

func TestName(t *testing.T) {
	names := []string{"title", "wpm", "startedAt", "LECTERN_SCHOOLS_RATE", "ação"}
	for _, tt := range []struct{ word, want string }{
		{"titel", "title"}, // neighbours swapped
		{"tilte", "title"},
		{"Title", "title"},
		{"titles", "title"},
		{"tile", "title"},
		{"tite", "title"},
		{"titre", "title"},
		{"tutel", ""}, // two changes of five characters
		{"wpn", "wpm"},
		{"wp", "wpm"}, // one change of three
		{"book_id", ""},
		{"wxn", ""},
		{"started_at", "startedAt"}, // what joins words does not count
		{"LECTERN_SCHOOL_RATE", "LECTERN_SCHOOLS_RATE"},
		{"acao", ""},
		{"açao", "ação"},
		{"", ""},
	} {
		if got, ok := nearest.Name(tt.word, names); got != tt.want || ok != (tt.want != "") {
			t.Errorf("Name(%q) = %q, %v, want %q", tt.word, got, ok, tt.want)
		}
	}
	if got, _ := nearest.Name("rute", []string{"rate", "rote"}); got != "rate" {
		t.Errorf("of two as near comes %q, want the first", got)
	}
}
