package facts_test

import "math/rand/v2"

func pickOne[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }
