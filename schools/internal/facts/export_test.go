package facts

// RewriteLeaf reads the stored form of a leaf and writes it again.
func RewriteLeaf(number int32, data []byte) ([]byte, error) {
	var l leaf
	if err := l.unmarshalBinary(number, data); err != nil {
		return nil, err
	}
	return l.appendBinary(nil), nil
}
