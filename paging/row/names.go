package row

import "fmt"

// NameOf returns the name of a value of an enum, or for one that has none a text that shows its number.
func NameOf[E ~uint8](names []string, what string, e E) string {
	if int(e) < len(names) && names[e] != "" {
		return names[e]
	}
	return fmt.Sprintf("%s %d", what, uint8(e))
}

// ValueOf returns the value of an enum that has the name.
func ValueOf[E ~uint8](names []string, name string) (E, bool) {
	for e, n := range names {
		if n == name && n != "" {
			return E(e), true
		}
	}
	return 0, false
}
