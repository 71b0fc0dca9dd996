package main

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// hangUp lets clients with a valid key send requests and leave before the answer. Other clients must be answered, none with 503.
func (t *partnerSide) hangUp(c chance, _ Step) {
	k := t.newKey("n1") // whose rate is its own
	s := pick(c, t.servers)
	request := fmt.Sprintf("GET %s/%s HTTP/1.1\r\nHost: x\r\nUser-Agent: trials\r\nX-Api-Key: %s\r\n\r\n", schoolsPrefix, pick(c, []string{"users", "readings"}), k)
	var over atomic.Bool
	defer over.Store(true)
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for wait := time.Duration(n) * 100 * time.Microsecond; !over.Load(); wait = (wait + 130*time.Microsecond) % (2 * time.Millisecond) {
				if conn, err := net.Dial("tcp", "127.0.0.1:"+s.port); err == nil {
					_, _ = conn.Write([]byte(request))
					time.Sleep(wait)
					_ = conn.(*net.TCPConn).SetLinger(0)
					conn.Close()
				}
			}
		})
	}
	for until := time.Now().Add(time.Second); time.Now().Before(until); {
		t.something(c)
	}
	over.Store(true)
	wg.Wait()
	t.must(nil, "key", "revoke", keyID(k))
	t.ends(c, k)
}
