package web

import (
	"fmt"
	"net/http"
	"runtime/debug"
)

// panicked is a panic as an error: its text has the stack, which the log shows and no client sees.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

// Recover answers a panic with fail, which logs it once with its stack and sends 500. http.ErrAbortHandler passes.
func Recover(fail FailFunc) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				v := recover()
				if v == nil {
					return
				}
				if v == http.ErrAbortHandler {
					panic(v)
				}
				fail(w, r, &panicked{v, debug.Stack()})
			}()
			next.ServeHTTP(w, r)
		})
	}
}
