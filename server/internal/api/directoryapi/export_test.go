package directoryapi

// Decode exports decode for the fuzz test.
var Decode = decode

// MaxBodies exports maxBodies.
const MaxBodies = maxBodies
