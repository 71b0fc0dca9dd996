// Package signing signs calls of the directory for the programs and tests beside it. It follows only the description of
// the signature and imports nothing of the product, so that the two do not share a misunderstanding.
package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"time"
)

// Sign signs a request with SHA-256. The body may be empty. The content type must be set before.
func Sign(r *http.Request, body []byte, id, secret string) {
	date, hash := time.Now().UTC().Format(http.TimeFormat), ""
	if len(body) > 0 {
		sum := sha256.Sum256(body)
		hash = base64.StdEncoding.EncodeToString(sum[:])
		r.Header.Set("X-Authorization-Content-SHA256", hash)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s,%s,%s,%s,%s", r.Method, r.Header.Get("Content-Type"), hash, r.URL.RequestURI(), date)
	r.Header.Set("Date", date)
	r.Header.Set("Authorization", "APIAuth-HMAC-SHA256 "+id+":"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}
