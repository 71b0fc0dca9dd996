package schools

import "github.com/lectern-dev/lectern/reading/packed"

// ErrCorrupt is returned for a stored form that cannot have been written by this package.
var ErrCorrupt = packed.ErrCorrupt

// formVersion begins every binary form of this package, so that a later layout can be told from this one.
const formVersion = 1
