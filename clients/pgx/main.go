// pgx, its pool, and database/sql; golang-migrate and goose, by three processes at once.
package main

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/golang-migrate/migrate/v4"
	migratepgx "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

//go:embed goose/*.sql
var gooseMigrations embed.FS

const (
	add = "UPDATE item SET n = n + 1 WHERE tenant = $1 AND id = $2"
	one = "SELECT n FROM item WHERE tenant = $1 AND id = $2"
)

var (
	ctx = context.Background()
	b   = newBook()
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// golang-migrate: takes pg_advisory_lock for the whole run.
func migrateUp() {
	db, err := sql.Open("pgx/v5", "")
	check(err)
	driver, err := migratepgx.WithInstance(db, &migratepgx.Config{SchemaName: "tool"})
	check(err)
	source, err := iofs.New(migrations, "migrations")
	check(err)
	m, err := migrate.NewWithInstance("iofs", source, "pgx5", driver)
	check(err)
	err = m.Up()
	if err != nil && !errors.Is(err, migrate.ErrNoChange) {
		check(err)
	}
	version, dirty, err := m.Version()
	check(err)
	b.tell("golang-migrate", fmt.Sprint(version, dirty))
	m.Close()
}

// goose: with its lock of a session, which only tries, again and again.
func gooseUp() {
	db, err := sql.Open("pgx/v5", "search_path=tool2,public")
	check(err)
	defer db.Close()
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 60))
	check(err)
	directory, err := fs.Sub(gooseMigrations, "goose")
	check(err)
	provider, err := goose.NewProvider(goose.DialectPostgres, db, directory, goose.WithSessionLocker(locker))
	check(err)
	_, err = provider.Up(ctx)
	check(err)
	version, err := provider.GetDBVersion(ctx)
	check(err)
	b.tell("goose", version)
}

func main() {
	migrateUp()
	gooseUp()
	config, err := pgxpool.ParseConfig("application_name=pgx pool_max_conns=3")
	check(err)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	check(err)
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)

	inTx := func(options pgx.TxOptions, work func(tx pgx.Tx) (any, error)) (any, error) {
		var result any
		err := pgx.BeginTxFunc(ctx, pool, options, func(tx pgx.Tx) error {
			var err error
			result, err = work(tx)
			return err
		})
		return result, err
	}

	block := func() (any, error) {
		tenant, id := b.tenant(), b.item()
		result, err := inTx(pgx.TxOptions{}, func(tx pgx.Tx) (any, error) {
			var before, after int64
			if err := tx.QueryRow(ctx, one+" FOR UPDATE", tenant, id).Scan(&before); err != nil {
				return nil, err
			}
			tag, err := tx.Exec(ctx, add, tenant, id)
			if err != nil {
				return nil, err
			}
			if err := tx.QueryRow(ctx, one, tenant, id).Scan(&after); err != nil {
				return nil, err
			}
			return fmt.Sprint(tag, " ", after-before), nil
		})
		if err == nil {
			b.added++
		}
		return result, err
	}

	modes := func() (any, error) {
		var told []any
		for _, mode := range []pgx.QueryExecMode{
			pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
			pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
			var tag string
			var price pgtype.Numeric
			var doc map[string]any
			err := pool.QueryRow(ctx, add+" RETURNING doc->'tags'->>0, price, doc", mode, b.tenant(), 31).
				Scan(&tag, &price, &doc)
			if err != nil {
				return nil, err
			}
			b.added++
			text, _ := price.MarshalJSON()
			told = append(told, tag, string(text), doc["tags"])
		}
		return told, nil
	}

	batch := func() (any, error) {
		batch := &pgx.Batch{}
		tenant, id := b.tenant(), b.item()
		for i := 0; i < 3; i++ {
			batch.Queue(add, tenant, id)
		}
		batch.Queue("SELECT doc->'tags'->>0 FROM item WHERE tenant = $1 AND id = $2", tenant, id)
		results := pool.SendBatch(ctx, batch)
		for i := 0; i < 3; i++ {
			if _, err := results.Exec(); err != nil {
				results.Close()
				return nil, err
			}
		}
		var tag string
		if err := results.QueryRow().Scan(&tag); err != nil {
			results.Close()
			return nil, err
		}
		err := results.Close()
		if err == nil {
			b.added += 3
		}
		return tag, err
	}

	batchFails := func() (any, error) {
		batch := &pgx.Batch{}
		batch.Queue(add, b.tenant(), b.item())
		batch.Queue("SELECT 1 / (n - n) FROM item WHERE tenant = $1 AND id = 1", b.tenant())
		batch.Queue(add, b.tenant(), b.item())
		return nil, pool.SendBatch(ctx, batch).Close()
	}

	nested := func() (any, error) {
		tenant, id := b.tenant(), b.item()
		result, err := inTx(pgx.TxOptions{}, func(tx pgx.Tx) (any, error) {
			if _, err := tx.Exec(ctx, add, tenant, id); err != nil {
				return nil, err
			}
			told := pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error {
				_, err := inner.Exec(ctx, "INSERT INTO item (tenant, id, name, doc) VALUES (1, 1, '', '{}')")
				return err
			})
			return failure(told), pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error {
				_, err := inner.Exec(ctx, add, tenant, id)
				return err
			})
		})
		if err == nil {
			b.added += 2
		}
		return result, err
	}

	copies := func() (any, error) {
		tenant, first := b.tenant(), b.number()*1000
		return inTx(pgx.TxOptions{}, func(tx pgx.Tx) (any, error) {
			var n int64
			if err := tx.QueryRow(ctx, one, tenant, b.item()).Scan(&n); err != nil {
				return nil, err
			}
			rows := [][]any{}
			for i := int64(0); i < 40; i++ {
				rows = append(rows, []any{tenant, first + i, map[string]any{"i": i}})
			}
			count, err := tx.CopyFrom(ctx, pgx.Identifier{"log"}, []string{"tenant", "id", "entry"}, pgx.CopyFromRows(rows))
			if err != nil {
				return nil, err
			}
			found, err := tx.Query(ctx, "SELECT entry FROM log WHERE tenant = $1 AND id BETWEEN $2 AND $3 ORDER BY id", tenant, first, first+2)
			if err != nil {
				return nil, err
			}
			entries, err := pgx.CollectRows(found, pgx.RowTo[map[string]any])
			return fmt.Sprint(count, entries), err
		})
	}

	levels := func() (any, error) {
		return inTx(pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (any, error) {
			var n int64
			var level, access string
			if err := tx.QueryRow(ctx, one, b.tenant(), b.item()).Scan(&n); err != nil {
				return nil, err
			}
			if err := tx.QueryRow(ctx, "SHOW transaction_isolation").Scan(&level); err != nil {
				return nil, err
			}
			err := tx.QueryRow(ctx, "SHOW transaction_read_only").Scan(&access)
			return level + access, err
		})
	}

	cancelled := func() (any, error) {
		limited, stop := context.WithTimeout(ctx, 100*time.Millisecond)
		defer stop()
		tx, err := pool.Begin(ctx)
		if err != nil {
			return nil, err
		}
		defer tx.Rollback(ctx)
		if _, err := tx.Exec(ctx, add, b.tenant(), b.item()); err != nil {
			return nil, err
		}
		_, err = tx.Exec(limited, "SELECT pg_sleep(30)")
		return errors.Is(err, context.DeadlineExceeded), nil
	}

	generic := func() (any, error) {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return nil, err
		}
		defer tx.Rollback()
		statement, err := tx.Prepare("SELECT name, doc->'tags' FROM item WHERE tenant = $1 AND id = $2")
		if err != nil {
			return nil, err
		}
		defer statement.Close()
		var name string
		var tags []byte
		if err := statement.QueryRow(b.tenant(), 41).Scan(&name, &tags); err != nil {
			return nil, err
		}
		result, err := tx.Exec(add, b.tenant(), b.item())
		if err != nil {
			return nil, err
		}
		rows, _ := result.RowsAffected()
		if err := tx.Commit(); err != nil {
			return nil, err
		}
		b.added++
		return fmt.Sprint(name, string(tags), rows), nil
	}

	advisory := func() (any, error) {
		key := b.number()
		connection, err := pool.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer connection.Release()
		for i := 0; i < 3; i++ {
			if _, err := connection.Exec(ctx, add, b.tenant(), b.item()); err != nil {
				return nil, err
			}
			b.added++
		}
		if _, err := connection.Exec(ctx, "SELECT pg_advisory_lock($1)", key); err != nil {
			return nil, err
		}
		var other, done bool
		if err := pool.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", key).Scan(&other); err != nil {
			return nil, err
		}
		err = connection.QueryRow(ctx, "SELECT pg_advisory_unlock($1)", key).Scan(&done)
		return fmt.Sprint(other, done), err
	}

	queue := func() (any, error) {
		for i := 0; i < 3; i++ {
			if _, err := pool.Exec(ctx, "INSERT INTO job (tenant, payload) VALUES ($1, $2)", b.tenant(), map[string]int{"n": i}); err != nil {
				return nil, err
			}
		}
		return inTx(pgx.TxOptions{}, func(tx pgx.Tx) (any, error) {
			// As River takes its jobs.
			rows, err := tx.Query(ctx, `WITH locked AS (
			    SELECT id FROM job ORDER BY id LIMIT 3 FOR UPDATE SKIP LOCKED
			  ) DELETE FROM job USING locked WHERE job.id = locked.id RETURNING job.id`)
			if err != nil {
				return nil, err
			}
			jobs, err := pgx.CollectRows(rows, pgx.RowTo[int64])
			if err != nil {
				return nil, err
			}
			for _, job := range jobs {
				if _, err := tx.Exec(ctx, "INSERT INTO done VALUES ($1, $2)", job, b.instance); err != nil {
					return nil, err
				}
			}
			return "done", nil
		})
	}

	values := func() (any, error) {
		var text string
		err := pool.QueryRow(ctx,
			"SELECT row_to_json(v)::text FROM (SELECT $1::jsonb AS a, $2::json AS b, $3::int[] AS c, $4::timestamptz AS d, $5::numeric AS e, $6::bytea AS f, $7::uuid AS g, $8::interval AS h, doc->'tags' AS i FROM item WHERE tenant = $9 AND id = 3) v",
			map[string]any{"x": []any{1, nil, "ä"}}, []byte("[1]"), []int32{1, 2}, time.Date(2024, 2, 29, 1, 2, 3, 4000, time.UTC),
			"12.50", []byte{0, 255}, "00000000-0000-0000-0000-00000000000a", 3*time.Second, b.tenant()).Scan(&text)
		return text, err
	}

	b.run([]step{{"block", block}, {"modes", modes}, {"batch", batch}, {"batchFails", batchFails}, {"nested", nested},
		{"copies", copies}, {"levels", levels}, {"cancelled", cancelled}, {"generic", generic}, {"advisory", advisory},
		{"queue", queue}, {"values", values}})
}
