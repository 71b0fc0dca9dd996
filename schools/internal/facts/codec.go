package facts

// formVersion begins every binary form of this package, so that a later layout can be told from this one.
const formVersion = 1
