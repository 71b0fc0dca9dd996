package snapshotdb

// Kill ends a load as a kill of its process would: nothing is renewed, undone or given back any more.
func (l *Load) Kill() {
	l.stop()
	l.done.Wait()
}
