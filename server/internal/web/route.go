package web

// Route is what an API says of one of its routes, for the tests that hold the documents against the code.
type Route struct {
	Method string
	Path   string   // the whole path, with `:ref` where a reference stands
	Params []string // of the query, in the order of the specification's table
}
