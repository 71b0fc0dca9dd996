package openapi

// The types of the specifications. Numbers have a format: a generator that finds none may choose one with too few digits.
var (
	integer  = whole(member{"minimum", 0})
	text     = object{{"type", "string"}}
	boolean  = object{{"type", "boolean"}}
	date     = object{{"type", "string"}, {"format", "date"}}
	instant  = object{{"type", "string"}, {"format", "date-time"}, {"pattern", `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`}}
	local    = object{{"type", "string"}, {"pattern", `^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$`}}
	month    = object{{"type", "string"}, {"pattern", `^\d{4}-\d\d$`}}
	money    = object{{"type", "string"}, {"pattern", `^(0|\d+\.\d\d)$`}}
	snapshot = object{{"type", "string"}, {"minLength", 1}, {"pattern", `^[A-Za-z0-9_.-]+$`}}
	share    = decimal(member{"minimum", 0})
	fraction = decimal(member{"minimum", 0}, member{"maximum", 1})
	percent  = decimal(member{"minimum", 0}, member{"maximum", 100})
)

// whole is a whole number with its limits.
func whole(limits ...member) object {
	return object{{"type", "integer"}, {"format", "int64"}}.with(limits...)
}

// decimal is a number with decimals, and its limits.
func decimal(limits ...member) object {
	return object{{"type", "number"}, {"format", "double"}}.with(limits...)
}

// ref refers to a named schema.
func ref(name string) object { return object{{"$ref", "#/components/schemas/" + name}} }

// list is an array.
func list(items object) object { return object{{"type", "array"}, {"items", items}} }

// enum is one of the values.
func enum(values ...string) object { return object{{"type", "string"}, {"enum", values}} }

// orNull is a type, a reference or an enum that may also be null.
func orNull(o object) object {
	if o[0].name == "$ref" {
		return object{{"oneOf", []object{o, {{"type", "null"}}}}}
	}
	n := object{{"type", []any{o[0].value, "null"}}}
	for _, m := range o[1:] {
		if values, ok := m.value.([]string); ok && m.name == "enum" {
			all := []any{}
			for _, v := range values {
				all = append(all, v)
			}
			m.value = append(all, nil)
		}
		n = append(n, m)
	}
	return n
}

// record is an object with the fields and no others.
func record(fields ...field) object {
	properties, required := object{}, []string{}
	for _, f := range fields {
		s := f.schema
		if f.description != "" {
			s = s.with(member{"description", f.description})
		}
		properties = append(properties, member{f.name, s})
		if !f.optional {
			required = append(required, f.name)
		}
	}
	return object{{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}}
}
