package server

// SetMaxMove sets how many bytes New and Migrate move by themselves, until the function that it returns is called.
func SetMaxMove(bytes int64) (restore func()) {
	former := maxMove
	maxMove = bytes
	return func() { maxMove = former }
}
