package web

import "github.com/lectern-dev/lectern/server/internal/wire"

// Route is what an API says of one of its routes: the document is made of it.
type Route struct {
	Method string
	Path   string // the whole path, with `:ref` where a reference stands
	ID     string // the name of the operation
	Tag    string // the group that it is in
	// Summary and About say what it is, in a few words and in sentences.
	Summary, About string
	Params         []Param // of the query, in the order of the specification's table
	// Schema is the name of the schema of the answer, of which Sample writes one with no values that count.
	Schema string
	Sample func(*wire.Writer)
	Rows   bool // the answer is a list of rows, which has other forms too (H11)
}
