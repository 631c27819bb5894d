package main

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// What was seen, how long it took, what to do next: the same as book.py.
type book struct {
	instance int
	end      time.Time
	dice     *rand.Rand
	seen     map[string]bool
	last     int64
	added    int
}

func newBook() *book {
	instance, _ := strconv.Atoi(os.Getenv("INSTANCE"))
	seconds, _ := strconv.Atoi(os.Getenv("SECONDS"))
	return &book{
		instance: instance,
		end:      time.Now().Add(time.Duration(seconds) * time.Second),
		dice:     rand.New(rand.NewSource(int64(instance))),
		seen:     map[string]bool{},
	}
}

func (b *book) tenant() int { return 1 + b.dice.Intn(12) }
func (b *book) item() int   { return 1 + b.dice.Intn(1000) }

func (b *book) number() int64 {
	b.last++
	return int64(b.instance)*10_000_000 + b.last
}

func (b *book) tell(name string, outcome any) {
	line := strings.Join(strings.Fields(fmt.Sprintf("%s: %v", name, outcome)), " ")
	if !b.seen[line] {
		b.seen[line] = true
		fmt.Println(line)
	}
}

func failure(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return fmt.Sprint(pg.Code, " | ", pg.Message, " | ", strings.Split(pg.Detail, "Failing row")[0], " | ", pg.Hint, " | ",
			pg.ConstraintName, " | ", pg.Position)
	}
	return err.Error()
}

type step struct {
	name string
	run  func() (any, error)
}

// Steps in any order until the time is over, each at least twice.
func (b *book) run(steps []step) {
	var times []float64
	repeated := map[string]int{}
	most, slowest := 0.0, ""
	for rounds := 0; rounds < 2 || time.Now().Before(b.end); rounds++ {
		b.dice.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		for _, s := range steps {
			began := time.Now()
			outcome, err := s.run()
			var pg *pgconn.PgError
			switch {
			case err == nil:
				b.tell(s.name, outcome)
			case errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01"):
				repeated[pg.Code]++
			default:
				b.tell(s.name, "ERROR "+failure(err))
			}
			took := float64(time.Since(began).Microseconds()) / 1000
			times = append(times, took)
			if took > most {
				most, slowest = took, s.name
			}
		}
	}
	sort.Float64s(times)
	fmt.Printf("= added %d\n", b.added)
	fmt.Fprintf(os.Stderr, "%d steps, ms p50 %.1f p99 %.0f most %.0f (%s), repeated %v\n", len(times),
		times[len(times)/2], times[len(times)*99/100], most, slowest, repeated)
}
