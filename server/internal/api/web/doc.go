// Package web is the plumbing that the HTTP APIs share: middleware, errors, query parameters and answers. It knows no
// route and no rule of an API.
//
// A request passes through a chain of middleware, each a func(http.Handler) http.Handler:
//
//	web.Chain(api, web.Identify(log, proxies, isDown), web.AccessLog(nil), web.Recover(web.Fail), web.UserAgent)
//
// The first one gives the request an identifier and a *Trace, into which the inner ones write what the access log shows.
// A handler then reads parameters with a *Query, which collects a message for each invalid one:
//
//	q := web.NewQuery("page=0&colour=red", nil)
//	p := q.Page(web.LargePage)
//	err := q.Err() // 400: property colour should not exist; page must not be less than 1
//
// and answers with a Reply or with Answers.WriteJSON. A Reply says what its bytes depend on before it reads anything (Front.Find). Fail
// writes any error in the shape of the schools and libraries APIs (H2):
//
//	{"statusCode":400,"error":"Bad Request","message":["page must not be less than 1"]}
//
// The partner directory answers errors in another shape (P10); it passes its own function in place of Fail.
package web
