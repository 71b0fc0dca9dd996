package directoryapi

// Decode is decode, for the fuzz test.
var Decode = decode

// MaxBodies is maxBodies.
const MaxBodies = maxBodies
