// Command lectern serves reading data of schools and libraries from one database, and keeps that database.
//
//	lectern demo      # a database with a small network, a key to try, and the server
//	lectern --help    # the other commands
//
// Settings come from flags, then from LECTERN_* variables, then from defaults. Logs and progress go to stderr, results
// to stdout. Exit 1 is an error, told in one line that says what to do; exit 2 is wrong usage.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
