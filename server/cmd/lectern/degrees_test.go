package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// write writes a file into the test's folder.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDegrees(t *testing.T) {
	loaded(t)
	usual := ok(t, "degrees", "--partner", "ana")
	if !strings.HasPrefix(usual, "code,stage,grade\nI,INFANTIL,\n1,FUNDAMENTAL 1,1\n") || !strings.HasSuffix(usual, "F,,\n") {
		t.Errorf("the default vocabulary = %q", usual)
	}
	write(t, "usual.csv", usual)
	if out := ok(t, "degrees", "--partner", "ana", "usual.csv"); !regexp.MustCompile(`^{"degrees":15,"kept":\[\],"version":"\d+\.\d+"}\n$`).MatchString(out) {
		t.Errorf("degrees with the default vocabulary = %q, want none kept", out)
	}

	// These are the same rows in other formats. Entities keep the codes that are removed, and the command reports them.
	few := `{"code":"9","stage":"FUNDAMENTAL 2","grade":9}` + "\n" + `{"code":"EJA, 2ª","stage":null}` + "\n"
	write(t, "few.ndjson", few)
	write(t, "FEW2.CSV", "grade,code,stage\r\n9,9,FUNDAMENTAL 2\r\n,\"EJA, 2ª\",\r\n")
	for _, file := range []string{"few.ndjson", "./FEW2.CSV"} {
		code, out, errs := lectern(t, "degrees", "--partner", "ana", file)
		if code != exitOK || !strings.Contains(out, `{"degrees":2,"kept":[{"code":"`) || !strings.Contains(errs, `"F" (`) {
			t.Errorf("degrees %s = %d, %q, %q, want the degrees that entities keep", file, code, out, errs)
		}
		if got, want := ok(t, "degrees", "--partner", "ana"), "code,stage,grade\n9,FUNDAMENTAL 2,9\n\"EJA, 2ª\",,\n"; got != want {
			t.Errorf("degrees after %s = %q, want %q", file, got, want)
		}
	}
	key, _ := apiKey(t, ok(t, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1"))
	whileServing(t, []string{"serve", "--addr", "127.0.0.1:0"}, `"message":"serving"`, func(lines string) {
		_, addr, _ := strings.Cut(lines, `"addr":"127.`)
		addr, _, _ = strings.Cut("127."+addr, `"`)
		users := func() string {
			_, body := fetch(t, "http://"+addr+"/api-platform/schools/v1/users?pageSize=1000", key)
			return body
		}
		if body := users(); !strings.Contains(body, `"grade":null,"stage":null`) || strings.Contains(body, `"grade":7`) {
			t.Errorf("users = %.500s, want no stage that is not in the vocabulary", body)
		}
		ok(t, "degrees", "--partner", "ana", "usual.csv") // while the server runs
		if body := users(); !strings.Contains(body, `"grade":7,"stage":"FUNDAMENTAL 2"`) {
			t.Errorf("users = %.500s, want the stages of the new vocabulary at once", body)
		}
	})
}

// TestDegreesErrors tests that a file with an error changes nothing.
func TestDegreesErrors(t *testing.T) {
	loaded(t)
	const head = "code,stage,grade\n"
	tests := []struct{ name, file, text, want string }{
		{"a stage", "a.csv", head + "A,Infantil,\n", "a.csv line 2: field stage: must be one of INFANTIL"},
		{"grade 0", "a.csv", head + "A,MEDIO,0\n", "field grade: must be 1 to 9"},
		{"grade 10", "a.csv", head + "A,MEDIO,10\n", "field grade: must be 1 to 9"},
		{"grade of another form", "a.csv", head + "A,MEDIO,1.5\n", "field grade"},
		{"no code", "a.csv", head + ",MEDIO,\n", "field code"},
		{"a code with a space", "a.ndjson", `{"code":" A"}`, "field code"},
		{"a code twice", "a.csv", head + "A,,\nB,,\nA,,\n", `line 4: field code: "A" is there already`},
		{"several rows", "a.csv", head + "A,x,\nB,x,\nC,,\n", "line 2: field stage: must be one of INFANTIL, FUNDAMENTAL 1, FUNDAMENTAL 2, MEDIO, or empty; a.csv line 3"},
		{"many rows", "a.csv", head + strings.Repeat(",,\n", 7), "and 2 more bad rows"},
		{"no rows", "a.csv", head, "no rows"},
		{"no column of codes", "a.csv", "stage,grade\n", "code"},
		{"an unknown kind of file", "a.txt", head + "A,,\n", "neither .csv nor .ndjson"},
		{"no name before the ending", ".csv", head + "A,,\n", "neither .csv nor .ndjson"},
	}
	for _, tt := range tests {
		write(t, tt.file, tt.text)
		if line := fails(t, exitError, "degrees", "--partner", "ana", tt.file); !strings.Contains(line, tt.want) {
			t.Errorf("%s: %q, want it to say %q", tt.name, line, tt.want)
		}
		if err := os.Remove(tt.file); err != nil {
			t.Fatal(err)
		}
	}
	if line := fails(t, exitError, "degrees", "--partner", "ana", "missing.csv"); !strings.Contains(line, "without FILE") {
		t.Errorf("degrees of a missing file says %q", line)
	}
	if line := fails(t, exitError, "degrees", "--partner", "bob"); !strings.Contains(line, "lectern partner create") {
		t.Errorf("degrees of an unknown partner says %q", line)
	}
	fails(t, exitUsage, "degrees")
	if out := ok(t, "degrees", "--partner", "ana"); strings.Count(out, "\n") != 16 {
		t.Errorf("the vocabulary after errors = %q, want the default", out)
	}
}
