package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

// What a flood is, and what it may take: bodies of many connections without a key.
const (
	floodConnections = 150
	floodBody        = 1_000_000
	floodMemory      = 80 << 20
)

// flood sends bodies without a key over many connections. They take no memory, and others are answered.
func (t *trial) flood(c chance, _ Act) error {
	s := pick(c, t.servers)
	before := resident(s.Process.Pid)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	for range floodConnections {
		wg.Go(func() {
			conn, err := net.Dial("tcp", "127.0.0.1:"+s.port)
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
			_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
			fmt.Fprintf(conn, "POST /api/v2/partners/teachers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: APIAuth 1-1:x\r\nDate: %s\r\nContent-Length: %d\r\n\r\n",
				t.clock.now().UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"), floodBody)
			_, _ = conn.Write(make([]byte, floodBody-1)) // all but the last byte
		})
	}
	wg.Wait()
	grown := resident(s.Process.Pid) - before
	defer func() {
		for _, conn := range open {
			conn.Close()
		}
	}()
	if grown > floodMemory {
		return differs("%d connections without a key took %d MiB of memory", floodConnections, grown>>20)
	}
	return t.partners[0].whole(s)
}

// resident is what a process has in memory, in bytes.
func resident(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	var kib int
	if _, rest, ok := strings.Cut(string(text), "VmRSS:"); ok {
		fmt.Sscan(rest, &kib)
	}
	return kib << 10
}
