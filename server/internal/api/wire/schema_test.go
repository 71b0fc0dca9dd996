package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

type book struct {
	id     int64
	title  string
	author *author
	price  string
}

type author struct{ name string }

func writeAuthor(w *wire.Writer, a *author) { w.TextOrNull("name", a.name, "") }

func writeBook(w *wire.Writer, b *book) {
	w.Int("id", b.id, "Identifier.")
	w.Text("title", b.title, "")
	wire.Maybe(w, "author", "Author", b.author, writeAuthor, "Who <wrote> it.")
	w.Amount("price", b.price, "")
}

var books = wire.Table[book]{Schema: "Book", Write: writeBook, Key: func(w *wire.Writer, b *book) { w.Int("id", b.id, "") }}

// TestSchemas tests that the schema of a record says what its function writes: the names and types, and which members
// may be null or absent. A schema that has a name is written once.
func TestSchemas(t *testing.T) {
	var s wire.Schemas
	s.Add("Books", func(w *wire.Writer) {
		books.Rows(paging.List[book]{}).Members(w)
		wire.Maybe(w, "editor", "Author", nil, writeAuthor, "")
		w.Object("more", "", "", func() {
			w.IntIf("grade", 0, false, "", 1, 9)
			w.TextOfOrNull("band", "", wire.Enum("a", "b"), "")
			w.Texts("tags", nil, wire.Text, "")
			w.Null("none")
		})
		w.Fraction("share", 0, "")
	})
	s.Add("Book", func(w *wire.Writer) { writeBook(w, new(book)) })
	got, err := json.Marshal(s.All())
	const closed = `"additionalProperties":false}`
	const want = `{"Books":{"type":"object","properties":{"rows":{"type":"array","items":{"$ref":"#/components/schemas/Book"}},` +
		`"removed":{"type":"array","items":{"$ref":"#/components/schemas/BookKey"},"description":"Only with changedSince: the keys of rows that are no longer in the list."},` +
		`"editor":{"oneOf":[{"$ref":"#/components/schemas/Author"},{"type":"null"}]},` +
		`"more":{"type":"object","properties":{"grade":{"type":["integer","null"],"format":"int64","minimum":1,"maximum":9},` +
		`"band":{"type":["string","null"],"enum":["a","b",null]},"tags":{"type":"array","items":{"type":"string"}},"none":{"type":"null"}},` +
		`"required":["grade","band","tags","none"],` + closed + `,"share":{"type":"number","format":"double","minimum":0,"maximum":1}},"required":["rows","editor","more","share"],` + closed + `,` +
		`"Book":{"type":"object","properties":{"id":{"type":"integer","format":"int64","minimum":0,"description":"Identifier."},"title":{"type":"string"},` +
		`"author":{"oneOf":[{"$ref":"#/components/schemas/Author"},{"type":"null"}],"description":"Who \u003cwrote\u003e it."},` +
		`"price":{"type":"string","pattern":"^(0|\\d+\\.\\d\\d)$"}},"required":["id","title","author","price"],` + closed + `,` +
		`"Author":{"type":"object","properties":{"name":{"type":["string","null"]}},"required":["name"],` + closed + `,` +
		`"BookKey":{"type":"object","properties":{"id":{"type":"integer","format":"int64","minimum":0}},"required":["id"],` + closed + `}`
	if err != nil || string(got) != want {
		t.Errorf("schemas = %s, %v\nwant %s", got, err, want)
	}
	if got, _ := (wire.Object{"a", "<&>", "b", wire.Object{}}).MarshalJSON(); string(got) != `{"a":"<&>","b":{}}` {
		t.Errorf("object = %s, want it without escapes for HTML", got)
	}
}

func ExampleTable() {
	rows := books.Rows(paging.List[book]{Rows: []book{{7, "Dom Casmurro", &author{"Machado de Assis"}, "12.50"}, {8, "1984", nil, "0"}}, Total: 2})
	fmt.Printf("%s\n", wire.AppendJSON(nil, rows.Members))
	fmt.Printf("%s", strings.ReplaceAll(string(rows.AppendCSV(nil)), "\r\n", "\n"))
	fmt.Printf("%s", rows.AppendNDJSON(nil))
	// Output:
	// {"rows":[{"id":7,"title":"Dom Casmurro","author":{"name":"Machado de Assis"},"price":"12.50"},{"id":8,"title":"1984","author":null,"price":"0"}]}
	// id,title,author.name,price
	// 7,Dom Casmurro,Machado de Assis,12.50
	// 8,1984,,0
	// {"id":7,"title":"Dom Casmurro","author":{"name":"Machado de Assis"},"price":"12.50"}
	// {"id":8,"title":"1984","author":null,"price":"0"}
}
