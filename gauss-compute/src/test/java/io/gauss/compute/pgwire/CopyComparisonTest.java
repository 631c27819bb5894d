package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.bind;
import static io.gauss.compute.pgwire.WireMessages.copyData;
import static io.gauss.compute.pgwire.WireMessages.copyDone;
import static io.gauss.compute.pgwire.WireMessages.copyFail;
import static io.gauss.compute.pgwire.WireMessages.describe;
import static io.gauss.compute.pgwire.WireMessages.execute;
import static io.gauss.compute.pgwire.WireMessages.flush;
import static io.gauss.compute.pgwire.WireMessages.parse;
import static io.gauss.compute.pgwire.WireMessages.query;
import static io.gauss.compute.pgwire.WireMessages.sync;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** COPY answers what PostgreSQL 15 answers: the same bytes go to both servers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CopyComparisonTest {
  @RegisterExtension static final GaussNode NODE = new GaussNode();
  @RegisterExtension static final PostgresDatabase SERVER = new PostgresDatabase();

  private WireClient gauss;
  private WireClient postgres;

  @BeforeAll
  void startSessions() throws IOException {
    gauss = WireClient.started(NODE.port(), "gauss");
    postgres = WireClient.started(SERVER.port(), SERVER.database());
  }

  @AfterAll
  void closeSessions() throws IOException {
    gauss.close();
    postgres.close();
  }

  private void both(String what, byte[]... parts) throws IOException {
    String expected = postgres.ask(parts);
    assertEquals(expected, gauss.ask(parts), what);
  }

  private void run(String sql) throws IOException {
    both(sql, query(sql));
  }

  private void copyIn(String sql, String... data) throws IOException {
    List<byte[]> parts = new ArrayList<>();
    parts.add(query(sql));
    for (String part : data) {
      parts.add(copyData(part));
    }
    parts.add(copyDone());
    both(sql + " <- " + String.join("|", data), parts.toArray(byte[][]::new));
    run("SELECT * FROM t ORDER BY 1, 2");
    run("DELETE FROM t");
  }

  private void table(String columns) throws IOException {
    gauss.query("DROP TABLE IF EXISTS t");
    postgres.query("DROP TABLE IF EXISTS t");
    run("CREATE TABLE t (" + columns + ")");
  }

  // ---------------------------------------------------------------- text

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1\tone\n2\ttwo\n",
        "1\tone\n2\ttwo",
        "1\tone\r\n2\ttwo\r\n",
        "1\tone\r2\ttwo\r",
        "1\tone\n2\ttwo\r\n",
        "1\tone\r\n2\ttwo\n",
        "1\tone\r2\ttwo\n",
        "1\t\\N\n\\N\tx\n",
        "1\t\n2\t\\\\N\n",
        "1\ta\\tb\\nc\\rd\\\\e\\x41\\x4\\101\\7\\q\\vf\n",
        "1\tä€😀\n2\t\\303\\244\n",
        "1\t\\xff\n",
        "1\ta\\\nb\n",
        "1\tone\n\\.\nrubbish",
        "1\tone\n\\.\r\n",
        "1\tone\n\\.x\n",
        "1\tone\\.\n",
        "1\tone\n\\.",
        "1\tone\ttoo much\n",
        "1\n",
        "\n",
        "",
        "x\tone\n",
        "99999999999\tone\n",
        "1\tone\\",
        "1\ta\\x\n",
        "1\t\\0\n",
        " 7 \tspaces\n",
        "1\tone\n1\ttwo\n",
        "\\N\t\\N\n",
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890"
            + "1234567890123456789012345678901234567890\tx\n",
      })
  void textIsReadAsPostgresReadsIt(String data) throws IOException {
    table("id int PRIMARY KEY, v text");
    copyIn("COPY t FROM STDIN", data);
  }

  @Test
  void bytesThatAreNoCharactersAreRefusedWhereverTheyAre() throws IOException {
    table("id int PRIMARY KEY, v text");
    for (String hex :
        List.of("3109ff0a", "31096100620a", "ff09610a", "310961c30a", "31c3a409610a")) {
      byte[] data = HexFormat.of().parseHex(hex);
      for (String options : List.of("", "(FORMAT csv, DELIMITER E'\\t')")) {
        both(hex, query("COPY t FROM STDIN " + options), copyData(data), copyDone());
        run("DELETE FROM t");
      }
    }
  }

  @Test
  void messagesMayEndAnywhereInTheData() throws IOException {
    table("id int PRIMARY KEY, v text");
    String data = "1\tone\\tx\r\n2\t\\N\r\n3\t\\101\\\\\r\n\\.\r\n";
    for (int cut = 0; cut <= data.length(); cut++) {
      copyIn("COPY t FROM STDIN", data.substring(0, cut), "", data.substring(cut));
    }
    copyIn("COPY t FROM STDIN", data.split(""));
  }

  @Test
  void textOptionsCount() throws IOException {
    table("id int PRIMARY KEY, v text");
    copyIn("COPY t FROM STDIN (DELIMITER '|', NULL 'nil')", "1|nil\n2|a\\|b\n3|nill\n");
    copyIn("COPY t FROM STDIN WITH DELIMITER AS ';' NULL AS ''", "1;\n2;x\n");
    copyIn("COPY t FROM STDIN USING DELIMITERS ';' WITH NULL 'q'", "1;q\n");
    copyIn("COPY t (v, id) FROM STDIN (HEADER)", "whatever\nx\t1\n");
    copyIn("COPY t FROM STDIN (HEADER MATCH)", "id\tv\n1\tx\n");
    copyIn("COPY t FROM STDIN (HEADER MATCH)", "id\tw\n1\tx\n");
    copyIn("COPY t FROM STDIN (HEADER MATCH)", "id\n1\tx\n");
    copyIn("COPY t FROM STDIN (HEADER MATCH)", "id\t\\N\n1\tx\n");
    copyIn("COPY t FROM STDIN (HEADER)", "");
    copyIn("COPY t FROM STDIN (FORMAT text, ENCODING 'UTF8')", "1\tx\n");
  }

  // ---------------------------------------------------------------- csv

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1,one\n2,two\n",
        "1,\"a,b\"\"c\"\n2,\"x\ny\"\n3,\"\"\n4,\n",
        "1,\"a\r\nb\"\r\n2,c\r\n",
        "1,a\"b\"c\n",
        "1,\"open\n",
        "1,one\n\\.\nmore\n",
        "1,one\n\\.more\n",
        "1,\\N\n",
        "1,\"x\"y,z\n",
        "1,\"a\\\"b\"\n",
        "1\n",
        "1,a\rb\n",
        "1,\"l1\nl2\nl3\"\nx,y\n",
        "\"1\",\" two \"\n",
        "1,one\r\n2,two\n",
      })
  void csvIsReadAsPostgresReadsIt(String data) throws IOException {
    table("id int PRIMARY KEY, v text");
    copyIn("COPY t FROM STDIN CSV", data);
    copyIn("COPY t FROM STDIN (FORMAT csv, ESCAPE '\\')", data);
    copyIn("COPY t FROM STDIN (FORMAT csv, QUOTE '''', DELIMITER ';')", data.replace(',', ';'));
  }

  @Test
  void csvOptionsCount() throws IOException {
    table("id int PRIMARY KEY, v text, w text");
    copyIn("COPY t FROM STDIN (FORMAT csv, FORCE_NOT_NULL (v))", "1,,\n2,\"\",\"\"\n");
    copyIn("COPY t FROM STDIN (FORMAT csv, FORCE_NULL (v, w))", "1,,\n2,\"\",\"\"\n");
    copyIn("COPY t FROM STDIN CSV HEADER NULL 'x' FORCE NOT NULL v, w", "h\n1,x,x\n");
    copyIn("COPY t FROM STDIN (FORMAT csv, FORCE_NOT_NULL (v), FORCE_NULL (v))", "1,,\n2,\"\",\n");
  }

  // ---------------------------------------------------------------- constraints and defaults

  @Test
  void constraintsDefaultsAndIdentityWorkAsInInsert() throws IOException {
    table(
        "id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v varchar(3) NOT NULL DEFAULT 'd',"
            + " n numeric(5,2) CHECK (n > 0), c char(4), u int UNIQUE");
    copyIn("COPY t (n) FROM STDIN", "1.005\n2\n");
    copyIn("COPY t (id, v) FROM STDIN", "50\tabc\n51\tabcd\n");
    copyIn("COPY t (id, v) FROM STDIN", "50\tab    \n");
    copyIn("COPY t (id, v) FROM STDIN", "50\t\\N\n");
    copyIn("COPY t (id, n) FROM STDIN", "50\t-1\n");
    copyIn("COPY t (id, n) FROM STDIN", "50\t1000\n");
    copyIn("COPY t (id, c) FROM STDIN", "50\ta\n");
    copyIn("COPY t (id, u) FROM STDIN", "50\t1\n51\t2\n52\t1\n");
    copyIn("COPY t (id, u) FROM STDIN WHERE u > 1 AND v = 'd'", "50\t1\n51\t2\n");
    copyIn("COPY t (id, u) FROM STDIN WHERE 1 / u > 0", "50\t1\n51\t0\n");
  }

  @Test
  void ofSeveralErrorsTheSameIsReported() throws IOException {
    table("id int PRIMARY KEY, u int UNIQUE, v int CHECK (v > 0)");
    String copy = "COPY t FROM STDIN";
    copyIn(copy, "1\t1\t1\n1\t2\t1\nx\t3\t1\n");
    copyIn(copy, "1\t1\t1\n1\t2\t1\n2\t3\t0\n");
    copyIn(copy, "1\t1\t1\n2\t1\t1\n1\t3\t1\n");
    copyIn(copy, "5\t1\t1\n3\t2\t1\n4\t3\t1\n3\t4\t1\n5\t5\t1\n");
    copyIn(copy, "5\t\\N\t1\n3\t\\N\t1\n4\t1\t1\n6\t1\t1\n3\t1\t1\n");
    run("INSERT INTO t VALUES (1, 10, 1), (2, 20, 1)");
    copyIn(copy, "3\t30\t1\n4\t20\t1\n1\t40\t1\n");
    for (String rows :
        List.of(
            "(3, 1, 1), (1, 2, 1), (2, 1, 1), (3, 4, 1)",
            "(1, 1, 1), (2, 1, 1), (3, 3, 0)",
            "(1, 1, 1), (2, 2, 0), (1, 3, 1)",
            "(3, 1, 1), (2, 2, 1), (1, 3, 1)")) {
      run("INSERT INTO t VALUES " + rows);
      run("INSERT INTO t SELECT * FROM (VALUES " + rows + ") r");
      run("SELECT * FROM t ORDER BY id");
      run("DELETE FROM t");
    }
  }

  @Test
  void linesAreCountedOverManyRows() throws IOException {
    table("id int PRIMARY KEY, u int UNIQUE");
    for (int taken : new int[] {0, 998, 999, 1000, 1001, 1700, 2499}) {
      StringBuilder rows = new StringBuilder();
      for (int i = 1; i <= 2500; i++) {
        rows.append(i * 7 % 2503).append('\t').append(i == taken + 1 ? 5 : i + 5).append('\n');
      }
      run("INSERT INTO t VALUES (3000, 5)");
      copyIn("COPY t FROM STDIN", rows.toString());
      copyIn("COPY t FROM STDIN", rows + "x\t1\n");
      run("INSERT INTO t VALUES (3000, 5)");
      copyIn("COPY t FROM STDIN", rows + "x\t1\n");
    }
  }

  @Test
  void keysThatAreTooLongAreRefusedAfterWhatComesBefore() throws IOException {
    table("id int PRIMARY KEY, u text UNIQUE");
    String taken = "1\ta\n2\tb\n3\tb\n";
    copyIn("COPY t FROM STDIN", taken + "4\tc\n");
    String answer =
        gauss.ask(
            query("COPY t FROM STDIN"), copyData(taken + "4\t" + "c".repeat(2000)), copyDone());
    assertTrue(answer.contains("\"t_u_key\" (COPY t, line 3)"), answer);
    answer =
        gauss.ask(
            query("COPY t FROM STDIN"),
            copyData("1\ta\n4\t" + "c".repeat(2000) + "\n"),
            copyDone());
    assertTrue(answer.contains("index row size") && answer.contains("COPY t, line 2"), answer);
    run("SELECT * FROM t");
  }

  @Test
  void foreignKeysAreChecked() throws IOException {
    gauss.query("DROP TABLE IF EXISTS c, p");
    postgres.query("DROP TABLE IF EXISTS c, p");
    run("CREATE TABLE p (id int PRIMARY KEY)");
    run("CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p)");
    run("INSERT INTO p VALUES (1)");
    both("good", query("COPY c FROM STDIN"), copyData("1\t1\n2\t\\N\n"), copyDone());
    both("bad", query("COPY c FROM STDIN"), copyData("3\t1\n4\t2\n"), copyDone());
    run("SELECT * FROM c ORDER BY id");
  }

  // ---------------------------------------------------------------- statements

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COPY nix FROM STDIN",
        "COPY nix TO STDOUT",
        "COPY t (nix) FROM STDIN",
        "COPY t (id, id) TO STDOUT",
        "COPY t TO STDOUT WHERE id = 1",
        "COPY t FROM STDIN (FORMAT nix)",
        "COPY t FROM STDIN (NIX)",
        "COPY t FROM STDIN (DELIMITER 'ab')",
        "COPY t FROM STDIN (DELIMITER 'a')",
        "COPY t FROM STDIN (DELIMITER E'\\n')",
        "COPY t FROM STDIN (NULL E'a\\nb')",
        "COPY t FROM STDIN (FORMAT csv, DELIMITER '\"')",
        "COPY t FROM STDIN (FORMAT csv, QUOTE 'ab')",
        "COPY t FROM STDIN (FORMAT csv, ESCAPE 'ab')",
        "COPY t FROM STDIN (QUOTE '\"')",
        "COPY t FROM STDIN (ESCAPE '\"')",
        "COPY t FROM STDIN (FORMAT binary, DELIMITER ',')",
        "COPY t FROM STDIN (FORMAT binary, NULL 'x')",
        "COPY t FROM STDIN (FORMAT binary, HEADER)",
        "COPY t FROM STDIN (NULL E'a\\tb')",
        "COPY t FROM STDIN (FORMAT csv, NULL '\"')",
        "COPY t FROM STDIN (FORCE_NOT_NULL (v))",
        "COPY t TO STDOUT (FORMAT csv, FORCE_NOT_NULL (v))",
        "COPY t TO STDOUT (FORMAT csv, FORCE_NULL (v))",
        "COPY t FROM STDIN (FORMAT csv, FORCE_QUOTE *)",
        "COPY t TO STDOUT (FORCE_QUOTE *)",
        "COPY t (id) TO STDOUT (FORMAT csv, FORCE_QUOTE (v))",
        "COPY t (id) FROM STDIN (FORMAT csv, FORCE_NULL (v))",
        "COPY t (id) FROM STDIN (FORMAT csv, FORCE_NOT_NULL (v))",
        "COPY t TO STDOUT (HEADER MATCH)",
        "COPY (DELETE FROM t) TO STDOUT",
        "COPY (SELECT 1) FROM STDIN",
        "COPY t FROM STDIN (FORMAT csv, FORMAT text)",
        "COPY t FROM STDIN WHERE sum(id) > 1",
        "COPY t FROM STDIN WHERE nix > 1",
      })
  void whatIsRefusedIsRefusedAlike(String sql) throws IOException {
    table("id int PRIMARY KEY, v text");
    assertEquals(withoutPosition(postgres.query(sql)), withoutPosition(gauss.query(sql)), sql);
  }

  /** PostgreSQL points at options; Gauss does not. */
  private static String withoutPosition(String answer) {
    return answer.replaceAll(" at \\d+\n", "\n");
  }

  @Test
  void freezeTakesOnlyATableThatTheTransactionHasMadeOrEmptied() throws IOException {
    table("id int PRIMARY KEY, v text");
    both("not frozen", query("COPY t FROM STDIN (FREEZE)"), copyDone());
    run("BEGIN");
    run("TRUNCATE t");
    both("freeze", query("COPY t FROM STDIN (FREEZE ON)"), copyData("1\tx\n"), copyDone());
    run("COMMIT");
    run("SELECT * FROM t");
  }

  // ---------------------------------------------------------------- to the client

  @Test
  void rowsAreWrittenAsPostgresWritesThem() throws IOException {
    table("id int PRIMARY KEY, v text, \"W w\" text");
    run(
        "INSERT INTO t VALUES (1, E'a\\tb\\nc\\rd\\\\e\\be\\ff\\x0bg', NULL), (2, '', 'x,y'),"
            + " (3, '\\.', 'say \"hi\"'), (4, 'ä€😀', E'\\x01\\x7f'), (5, 'NULL', ' ')");
    for (String options :
        List.of(
            "",
            "(DELIMITER '|', NULL 'NULL', HEADER)",
            "(FORMAT csv)",
            "(FORMAT csv, HEADER, FORCE_QUOTE *)",
            "(FORMAT csv, FORCE_QUOTE (v), NULL 'NULL')",
            "CSV QUOTE '''' ESCAPE '\\'",
            "(FORMAT csv, DELIMITER ' ')",
            "(FORMAT binary)",
            "(DELIMITER E'\\x01')")) {
      if (!options.contains("(v)")) {
        run("COPY t (\"W w\", id) TO STDOUT " + options);
      }
      run("COPY t TO STDOUT " + options);
      run("COPY (SELECT v FROM t ORDER BY id) TO STDOUT " + options);
      run("COPY (SELECT 1 AS v WHERE false) TO STDOUT " + options);
    }
    run("COPY BINARY t TO STDOUT");
    run("COPY (INSERT INTO t VALUES (9, 'r') RETURNING id, v) TO STDOUT");
    run("COPY (VALUES (1, 'a'), (2, NULL)) TO STDOUT");
    run("COPY (SELECT 1 / (1 - id) FROM t ORDER BY id) TO STDOUT");
    run("COPY (SELECT 1) TO STDOUT; SELECT 2; COPY (SELECT 3) TO STDOUT");
  }

  @Test
  void allTypesGoOutAndIn() throws IOException {
    table(
        "id int PRIMARY KEY, b bool, s smallint, l bigint, f real, d double precision,"
            + " n numeric, n2 numeric(10,3), c char(5), v varchar(10), x text, y bytea, da date,"
            + " ti time, ts timestamp, tz timestamptz, iv interval, u uuid, o oid,"
            + " j json, jb jsonb, ja jsonb[]");
    run(
        "INSERT INTO t VALUES (1, true, -32768, 9223372036854775807, 1.5, -2.25e-10, 'NaN',"
            + " 1234567.891, 'ab', 'vc', E'a\\tb\"c', '\\x00ff5c', '2024-02-29', '12:34:56.789',"
            + " '2024-02-29 12:34:56.789012', '2024-02-29 12:34:56+02', '1 mon -2 days 03:04:05',"
            + " 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 42, '{\"a\" : [1, \"b,c\"]}',"
            + " '{\"b\": \"tab\\t\\\"\", \"a\": [1.50, null]}',"
            + " ARRAY['{\"a\": 1}', NULL]::jsonb[]),"
            + " (2, false, 0, 0, 'Infinity', '-Infinity', 123456789012345678901234567890.12345, 0,"
            + " '', '', '', '', 'infinity', '00:00', '-infinity', 'infinity', '0',"
            + " '00000000-0000-0000-0000-000000000000', 0, ' null', '\"\"', '{}')");
    run("INSERT INTO t (id) VALUES (3)");
    for (String options : List.of("", "(FORMAT csv)", "(FORMAT binary)")) {
      String sql = "COPY (SELECT * FROM t ORDER BY id) TO STDOUT " + options;
      run(sql);
      List<byte[]> back = new ArrayList<>();
      back.add(query("COPY t FROM STDIN " + options));
      for (String line : postgres.query(sql).split("\n")) {
        if (line.startsWith("CopyData ")) {
          String data = line.substring("CopyData ".length());
          back.add(
              copyData(
                  options.contains("binary")
                      ? HexFormat.of().parseHex(data)
                      : data.replace("<LF>", "\n")
                          .replace("<TAB>", "\t")
                          .replace("<CR>", "\r")
                          .getBytes(StandardCharsets.UTF_8)));
        }
      }
      back.add(copyDone());
      run("DELETE FROM t");
      both(options, back.toArray(byte[][]::new));
      run("SELECT * FROM t ORDER BY id");
    }
  }

  // ---------------------------------------------------------------- binary

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5047434f50590aff0d0a00",
        "5047434f50590aff0d0a0000000000",
        "5047434f50590aff0d0a000001000000000000",
        "5047434f50590aff0d0a000002000000000000",
        "5047434f50590aff0d0a000000000000000000",
        "5047434f50590aff0d0a0000000000ffffffff",
        "5047434f50590aff0d0a0000000000000000020000ffff",
        "5047434f50590aff0d0a000000000000000000ffff",
        "5047434f50590aff0d0a000000000000000000ffff00",
        "5047434f50590aff0d0a0000000000000000000001",
        "5047434f50590aff0d0a0000000000000000000002",
        "5047434f50590aff0d0a0000000000000000000002000000",
        "5047434f50590aff0d0a00000000000000000000020000000400000001ffffffff",
        "5047434f50590aff0d0a00000000000000000000020000000400000001ffffffffffff",
        "5047434f50590aff0d0a00000000000000000000020000000400000001fffffffe",
        "5047434f50590aff0d0a0000000000000000000002000000030000010000000141",
        "5047434f50590aff0d0a000000000000000000000200000005000000010000000141",
        "5047434f50590aff0d0a0000000000000000000002000000040000000100000001ff",
        "5047434f50590aff0d0a0000000000000000000002000000040000000100000005ff",
        "5047434f50590aff0d0a0000000000000000000002ffffffffffffffff",
        "78787878787878787878787878787878",
      })
  void binaryIsReadAsPostgresReadsIt(String hex) throws IOException {
    table("id int PRIMARY KEY, v text");
    byte[] data = HexFormat.of().parseHex(hex);
    String sql = "COPY t FROM STDIN (FORMAT binary)";
    both(hex, query(sql), copyData(data), copyDone());
    run("SELECT * FROM t");
  }

  // ---------------------------------------------------------------- messages

  @Test
  void theClientMayGiveUp() throws IOException {
    table("id int PRIMARY KEY, v text");
    both("fail", query("COPY t FROM STDIN"), copyData("1\tx\n2"), copyFail("no more"));
    run("SELECT * FROM t");
  }

  @Test
  void theExtendedProtocolCopiesToo() throws IOException {
    table("id int PRIMARY KEY, v text");
    both(
        "in",
        parse("", "COPY t FROM STDIN"),
        describe('S', ""),
        bind("", ""),
        describe('P', ""),
        execute("", 0),
        sync(),
        flush(),
        copyData("1\tx\n"),
        sync(),
        copyDone(),
        sync());
    both("out", parse("", "COPY t TO STDOUT"), bind("", ""), execute("", 1), sync());
    both(
        "bad",
        parse("", "COPY t FROM STDIN"),
        bind("", ""),
        execute("", 0),
        copyData("y\tx\n"),
        copyDone(),
        sync());
    run("SELECT * FROM t");
  }

  @Test
  void aFailedCopyFailsItsBlock() throws IOException {
    table("id int PRIMARY KEY, v text");
    run("BEGIN");
    run("SAVEPOINT s");
    both("bad", query("COPY t FROM STDIN"), copyData("1\tx\n1\ty\n"), copyDone());
    run("SELECT 1");
    run("ROLLBACK TO s");
    both("good", query("COPY t FROM STDIN"), copyData("2\tx\n"), copyDone());
    run("COMMIT");
    run("SELECT * FROM t");
  }

  @Test
  void aQueryMayHoldSeveralStatementsAroundACopy() throws IOException {
    table("id int PRIMARY KEY, v text");
    both(
        "several",
        query("INSERT INTO t VALUES (1, 'a'); COPY t FROM STDIN; SELECT count(*) FROM t"),
        copyData("2\tb\n"),
        copyDone());
  }

  // ---------------------------------------------------------------- at random

  private static final String[] PIECES = {
    "1", "2", "x", "\t", ",", "\n", "\r", "\r\n", "\\", "\\N", "\\.", "\"", "\"\"", "ä", "\\t",
    "\\x4", "\\12", " ", "", "|", "\\\\", "\\\n"
  };

  @Test
  void rubbishIsJudgedAlike() throws IOException {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    Random random = new Random(seed);
    table("a text, b text");
    for (int i = 0; i < 400; i++) {
      StringBuilder data = new StringBuilder();
      for (int n = random.nextInt(12); n >= 0; n--) {
        data.append(PIECES[random.nextInt(PIECES.length)]);
        if (random.nextInt(4) == 0) {
          data.append(random.nextBoolean() ? "\tq\n" : ",q\n");
        }
      }
      String options =
          switch (random.nextInt(4)) {
            case 0 -> "(FORMAT csv)";
            case 1 -> "(FORMAT csv, ESCAPE '\\', HEADER MATCH)";
            case 2 -> "(FORMAT csv, DELIMITER '|', NULL 'x')";
            default -> "";
          };
      String sql = "COPY t FROM STDIN " + options;
      String text = data.toString();
      int cut = random.nextInt(text.length() + 1);
      byte[][] parts = {
        query(sql), copyData(text.substring(0, cut)), copyData(text.substring(cut)), copyDone()
      };
      both("-Dgauss.seed=" + seed + " round " + i + ": " + sql + " <- " + text, parts);
      run("SELECT * FROM t ORDER BY 1, 2");
      run("DELETE FROM t");
    }
  }
}
