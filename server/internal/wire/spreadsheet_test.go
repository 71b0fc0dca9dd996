package wire

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// protections are texts and the cells that they are in the pt-BR profile (H11), without the quotes of CSV.
var protections = []struct{ kind, text, want string }{
	{"digits", "9788535914849", `="9788535914849"`},
	{"digits", "1984", `="1984"`},
	{"digits of full width", "１９８４", `="１９８４"`},
	{"leading zeros", "007", `="007"`},
	{"digits with spaces", " 42 ", `=" 42 "`},
	{"digits with a no-break space", "1\u00a0000", "=\"1\u00a0000\""},
	{"digits and a line break", "42\n", "=\"42\n\""},

	{"fraction", "1/2", `="1/2"`},
	{"fraction", "1 1/2", `="1 1/2"`},
	{"fraction of one character", "½", `="½"`},
	{"day and month", "1-2", `="1-2"`},
	{"band", "1-10", `="1-10"`},
	{"band without an end", "101+", `="101+"`},
	{"decimal comma", "3,5", `="3,5"`},
	{"decimal point", "3.5", `="3.5"`},
	{"decimal without a zero", ",5", `=",5"`},
	{"thousands", "1.000,00", `="1.000,00"`},
	{"in brackets, which is negative", "(5)", `="(5)"`},
	{"minus of typesetting", "−5", `="−5"`},
	{"exponent", "1e5", `="1e5"`},
	{"exponent", "1,5E-3", `="1,5E-3"`},
	{"percentage", "10%", `="10%"`},
	{"percentage", "10 %", `="10 %"`},
	{"amount", "R$ 5", `="R$ 5"`},
	{"amount", "R$\u00a05,00", "=\"R$\u00a05,00\""},
	{"amount", "US$ 1.000", `="US$ 1.000"`},
	{"amount", "€5", `="€5"`},
	{"amount", "5 BRL", `="5 BRL"`},

	{"time", "12:30", `="12:30"`},
	{"time", "12:30:05,5", `="12:30:05,5"`},
	{"time of half a day", "5 pm", `="5 pm"`},
	{"time of half a day", "5 a", `="5 a"`},
	{"time of half a day", "5 p.m.", `="5 p.m."`},
	{"day", "2026-10-01", `="2026-10-01"`},
	{"month", "2026-01", `="2026-01"`},
	{"day", "01/10/2026", `="01/10/2026"`},
	{"day", "1.10.2026", `="1.10.2026"`},
	{"instant", "2026-10-01 12:30:00", `="2026-10-01 12:30:00"`},
	{"instant", "2026-10-01T12:30:00Z", `="2026-10-01T12:30:00Z"`},
	{"month", "jan/26", `="jan/26"`},
	{"month", "Março 2026", `="Março 2026"`},
	{"month of full width", "Ｊａｎ/26", `="Ｊａｎ/26"`},
	{"month in English", "Feb-26", `="Feb-26"`},
	{"month that is a word", "mar 2", `="mar 2"`},
	{"day of the week", "sábado, 3 de outubro de 2026", `="sábado, 3 de outubro de 2026"`},

	{"boolean", "VERDADEIRO", `="VERDADEIRO"`},
	{"boolean", "Falso", `="Falso"`},
	{"boolean", "TRUE", `="TRUE"`},
	{"boolean", " false ", `=" false "`},
	{"error", "#N/D", `="#N/D"`},
	{"error", "#VALOR!", `="#VALOR!"`},
	{"as long as an error", "#aaaaaaaaaaaaaaaaaaa", `="#aaaaaaaaaaaaaaaaaaa"`},
	{"longer than an error", "#aaaaaaaaaaaaaaaaaaaa", "#aaaaaaaaaaaaaaaaaaaa"},
	{"quotes", `5"`, `="5"""`},
	{"quotes", `"5"`, `="""5"""`},

	{"formula", "=1+1", "'=1+1"},
	{"formula", "+A1", "'+A1"},
	{"formula", "-1", "'-1"},
	{"formula", "@SUM(A1)", "'@SUM(A1)"},
	{"formula of full width", "＝1+1", "'＝1+1"},
	{"formula of full width", "＋A1", "'＋A1"},
	{"formula of full width", "－1", "'－1"},
	{"formula of full width", "＠A1", "'＠A1"},
	{"formula of small width", "﹦1", "'﹦1"},
	{"formula behind a space", " =1+1", "' =1+1"},
	{"formula behind a tab", "\t=1+1", "'\t=1+1"},
	{"formula behind a line break", "\r\n=1+1", "'\r\n=1+1"},
	{"formula behind a byte-order mark", "\ufeff=1+1", "'\ufeff=1+1"},
	{"formula behind a space of no width", "\u200b=1+1", "'\u200b=1+1"},
	{"formula behind a direction", "\u202e=1+1", "'\u202e=1+1"},
	{"formula behind a variation", "\ufe0f=1+1", "'\ufe0f=1+1"},
	{"formula behind a filler", "\u3164=1+1", "'\u3164=1+1"},
	{"formula behind a blank of Braille", "\u2800=1+1", "'\u2800=1+1"},
	{"formula behind several", " \u00a0\u200b\x01=1+1", "' \u00a0\u200b\x01=1+1"},
	{"formula with quotes", `="a"`, `'="a"`},

	{"title", "Dom Casmurro", "Dom Casmurro"},
	{"title with a number", "Fahrenheit 451", "Fahrenheit 451"},
	{"title with a number", "20 mil léguas submarinas", "20 mil léguas submarinas"},
	{"title that begins like a month", "Marçal 2", "Marçal 2"},
	{"title of a month alone", "Março", "Março"},
	{"title with a boolean", "True Grit", "True Grit"},
	{"title with quotes", `o "livro"`, `o "livro"`},
	{"title with a dash inside", "guarda-chuva", "guarda-chuva"},
	{"title with a number sign inside", "Livro #1", "Livro #1"},
	{"name of a class", "5º ano A", "5º ano A"},
	{"name of a class", "7A", "7A"},
	{"purchase", "Compra 12", "Compra 12"},
	{"state", "SP", "SP"},
	{"nothing", "", ""},
	{"spaces", "  ", "  "},
	{"punctuation", "...", "..."},
}

// TestProtections is H11: what a spreadsheet would take for something else, and what it would not. The plain profile has
// texts as they are.
func TestProtections(t *testing.T) {
	for _, tt := range protections {
		t.Run(tt.kind+" "+tt.text, func(t *testing.T) {
			list := []sampleRow{{ID: 1, Text: tt.text}}
			for accept, want := range map[string]string{"text/csv": tt.text, "text/csv; profile=pt-BR": tt.want} {
				r := csv.NewReader(strings.NewReader(written(accept, list)))
				if strings.Contains(accept, "pt-BR") {
					r.Comma = ';'
				}
				lines, err := r.ReadAll()
				if err != nil || len(lines) != 2 {
					t.Fatalf("%s: %q, %v", accept, lines, err)
				}
				if got, want := lines[1][1], strings.ReplaceAll(want, "\r\n", "\n"); got != want { // so the reader has it
					t.Errorf("%s = %q, want %q", accept, got, want)
				}
			}
		})
	}
}

// Days, instants, numbers, booleans and amounts are such in a spreadsheet too: they are not protected.
func TestValuesAreNotProtected(t *testing.T) {
	at := time.Date(2026, 10, 1, 15, 30, 0, 0, time.UTC)
	lines := func(w *Writer, _ *int) {
		w.Date("day", calendar.MustParse("2026-10-01"), "")
		w.Amount("price", "12.50", "")
	}
	write := func(w *Writer, _ *int) {
		w.Date("day", calendar.MustParse("2026-10-01"), "")
		w.Datetime("at", at, "")
		w.Time("utc", at, "")
		w.Percent("percent", 5000, "")
		w.Amount("price", "12.50", "")
		w.Bool("active", true, "")
		List(w, "lines", "", []int{1}, lines, "")
		w.Date("last", calendar.MustParse("2026-10-02"), "")
	}
	rows := Table[int]{Write: write}.Rows([]int{1}, 1)
	for pt, want := range map[bool]string{
		false: `2026-10-01,2026-10-01 12:30:00,2026-10-01T15:30:00Z,50.00,12.50,true,"[{""day"":""2026-10-01"",""price"":""12.50""}]",2026-10-02` + "\r\n",
		true:  `2026-10-01;2026-10-01 12:30:00;2026-10-01T15:30:00Z;50,00;12,50;true;"[{""day"":""2026-10-01"",""price"":""12.50""}]";2026-10-02` + "\r\n",
	} {
		_, got, _ := strings.Cut(string(rows.AppendCSV(nil, pt)), "\r\n")
		if got != want {
			t.Errorf("pt-BR %v =\n%swant\n%s", pt, got, want)
		}
	}
	const want = `{"day":"2026-10-01","at":"2026-10-01 12:30:00","utc":"2026-10-01T15:30:00Z","percent":50.00,"price":"12.50","active":true,` +
		`"lines":[{"day":"2026-10-01","price":"12.50"}],"last":"2026-10-02"}` + "\n"
	if got := string(rows.AppendNDJSON(nil)); got != want {
		t.Errorf("NDJSON = %swant %s", got, want)
	}
}

func BenchmarkSpreadsheet(b *testing.B) {
	title := "Memórias Póstumas de Brás Cubas"
	list := make([]sampleRow, 1000)
	for i := range list {
		list[i] = sampleRow{ID: int64(i), Text: "9788535914849", Book: &title, Tenth: 225}
	}
	rows := sampleRows(list)
	var buf []byte
	for b.Loop() {
		buf = rows.AppendCSV(buf[:0], true)
	}
}

// FuzzSpreadsheet reads a cell of the pt-BR profile back (H11): it is the text, the text behind an apostrophe or the formula that is the
// text, and where it is the text itself nothing runs it and nothing takes it for another.
func FuzzSpreadsheet(f *testing.F) {
	for _, p := range protections {
		f.Add(p.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line := string(sampleRows([]sampleRow{{Text: text}}).AppendCSV(nil, true))
		r := csv.NewReader(strings.NewReader(line))
		r.Comma = ';'
		lines, err := r.ReadAll()
		if err != nil || len(lines) != 2 {
			t.Fatalf("%q is written as %q: %v", text, line, err)
		}
		same := func(got string) bool { return got == strings.ReplaceAll(text, "\r\n", "\n") } // so the reader has it
		cell := lines[1][1]
		inner, formula := strings.CutPrefix(cell, `="`)
		switch {
		case formula && !isFormula(text):
			if inner, ok := strings.CutSuffix(inner, `"`); !ok || !same(strings.ReplaceAll(inner, `""`, `"`)) || strings.Count(inner, `"`)%2 > 0 {
				t.Errorf("%q is written as %q", text, cell)
			}
		case strings.HasPrefix(cell, "'") && same(cell[1:]) && isFormula(text):
		case same(cell) && isFormula(text), !same(cell):
			t.Errorf("%q is written as %q", text, cell)
		}
		if strings.ContainsAny(strings.TrimSpace(text), "0123456789") && same(cell) && strings.Trim(text, "0123456789.,-/: %()") == "" {
			t.Errorf("%q is written as it is, and is a number or a date to whom opens it", text)
		}
	})
}
