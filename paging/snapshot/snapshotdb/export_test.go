package snapshotdb

// Kill ends a load like a kill of its process: it renews, undoes and releases nothing more.
func (l *Load) Kill() {
	l.stop()
	l.done.Wait()
}
