package statedb

import (
	"database/sql"
	"fmt"
)

// Visit calls f at each of a query's rows and closes them. It takes what a query returns, the error too. what names the
// rows in an error.
func Visit(rows *sql.Rows, err error, what string, f func(*sql.Rows) error) error {
	if err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return fmt.Errorf("read %s: %w", what, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}
