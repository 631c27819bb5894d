package io.gauss.compute.pgwire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Statements that nearly make sense: those of the scripts in {@code slt} with tokens left out,
 * doubled, swapped, replaced by others, two of them spliced. Not thread-safe.
 */
final class MutatedSql {
  private static final Path SCRIPTS = Path.of("src/test/resources/slt");

  /** Words, numbers, texts, parameters, operators, spaces: rough, as it need not be right. */
  private static final Pattern TOKEN =
      Pattern.compile(
          "[A-Za-z_][A-Za-z_0-9]*|[0-9]+(?:\\.[0-9]+)?|'(?:[^']|'')*'|\"[^\"]*\"|\\$[0-9]+"
              + "|\\s+|::|<=|>=|<>|\\|\\||[^A-Za-z_0-9\\s]");

  private static final String[] ODD = {
    "0",
    "-1",
    "2147483647",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "1e400",
    "1e-400",
    ".5",
    "1.",
    "0.0000000000000000000000000000000000000001",
    "1e131071",
    "'NaN'",
    "'infinity'",
    "''",
    "'\u00e9'",
    "'\ud83d\ude00'",
    "NULL",
    "DEFAULT",
    "*",
    "$1",
    "$2",
    "$65535",
    "$65536",
    "$99999999999",
    "?",
    "(",
    ")",
    "()",
    "[",
    "]",
    ",",
    ";",
    ".",
    ":",
    "::",
    "'",
    "\"",
    "\"\"",
    "E'\\",
    "E'\\u00e9'",
    "U&'\\0041'",
    "U&\"\\0041\"",
    "B'101'",
    "X'1F'",
    "$$",
    "$$x$$",
    "--",
    "/*",
    "*/",
    "\\",
    "@",
    "~",
    "!~*",
    "||",
    "<>",
    "AND",
    "OR",
    "NOT",
    "IS",
    "IN",
    "ANY",
    "ALL",
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "HAVING",
    "LIMIT",
    "OFFSET",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "WITH",
    "RECURSIVE",
    "AS",
    "ON",
    "USING",
    "JOIN",
    "LEFT",
    "FULL",
    "CROSS",
    "LATERAL",
    "NATURAL",
    "VALUES",
    "INSERT INTO",
    "UPDATE",
    "DELETE FROM",
    "SET",
    "RETURNING",
    "CREATE TABLE",
    "ALTER TABLE",
    "DROP TABLE",
    "ADD",
    "COLUMN",
    "TYPE",
    "CASCADE",
    "PRIMARY KEY",
    "UNIQUE",
    "CHECK",
    "REFERENCES",
    "INDEX",
    "VIEW",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "CAST",
    "COALESCE",
    "NULLIF",
    "EXISTS",
    "ARRAY",
    "ARRAY[1,2]",
    "ROW(1,2)",
    "OVER ()",
    "FILTER (WHERE true)",
    "WITHIN GROUP (ORDER BY 1)",
    "DISTINCT",
    "DISTINCT ON (1)",
    "FOR UPDATE",
    "COLLATE \"C\"",
    "AT TIME ZONE 'UTC'",
    "INTERVAL '1 day'",
    "DATE '2024-02-30'",
    "count(*)",
    "sum(1)",
    "now()",
    "random()",
    "generate_series(1, 3)",
    "row_number() OVER ()",
    "(SELECT 1)",
    "(SELECT 1, 2)",
    "(VALUES (1), (2))",
    "int",
    "text",
    "numeric(3,1)",
    "varchar(3)",
    "timestamptz",
    "bytea",
    "bool",
    "oid",
    "regclass",
    "name",
    "pg_class",
    "pg_catalog",
    "public",
    "information_schema.tables",
    "ctid",
    "xmin",
    "tableoid",
    "current_user",
    "true",
    "false",
    "GROUPING SETS ((), (1))",
    "ROLLUP (1, 2)",
    "CUBE (1)",
    "EXPLAIN",
    "COPY",
    "PREPARE p AS",
    "EXECUTE p",
    "DECLARE c CURSOR FOR",
    "FETCH ALL c",
    "SAVEPOINT s",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "\0",
    "\u00a0",
    "\ufeff",
    "\uffff"
  };

  private final Random random;
  private final List<List<String>> scripts = new ArrayList<>();
  private final List<String> all = new ArrayList<>();

  MutatedSql(Random random) {
    this.random = random;
    try (Stream<Path> files = Files.list(SCRIPTS)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".sql")).sorted().toList()) {
        List<String> statements = statements(Files.readString(file, StandardCharsets.UTF_8));
        scripts.add(statements);
        all.addAll(statements);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> statements(String script) {
    List<String> statements = new ArrayList<>();
    StringBuilder statement = new StringBuilder();
    for (String line : script.split("\n")) {
      if (line.startsWith("--") || line.isBlank()) {
        continue;
      }
      statement.append(line);
      if (line.stripTrailing().endsWith(";")) {
        statements.add(statement.substring(0, statement.lastIndexOf(";")));
        statement.setLength(0);
      } else {
        statement.append('\n');
      }
    }
    return statements;
  }

  /** The statements of one script, in order. */
  List<String> script() {
    return scripts.get(random.nextInt(scripts.size()));
  }

  /** A statement with one to four changes. */
  String mutate(String statement) {
    List<String> tokens = tokens(statement);
    int changes = 1 + random.nextInt(random.nextInt(4) + 1);
    for (int i = 0; i < changes && !tokens.isEmpty(); i++) {
      change(tokens);
    }
    return String.join("", tokens);
  }

  private void change(List<String> tokens) {
    int at = random.nextInt(tokens.size());
    int other = random.nextInt(tokens.size());
    switch (random.nextInt(9)) {
      case 0 -> tokens.remove(at);
      case 1 -> tokens.add(at, tokens.get(at));
      case 2 -> {
        String moved = tokens.get(at);
        tokens.set(at, tokens.get(other));
        tokens.set(other, moved);
      }
      case 3, 4 -> tokens.set(at, odd());
      case 5 -> tokens.add(at, " " + odd() + " ");
      case 6 -> {
        // Another token of the corpus: it may be the name of a column that is there.
        List<String> donor = tokens(all.get(random.nextInt(all.size())));
        tokens.set(at, donor.get(random.nextInt(donor.size())));
      }
      case 7 -> {
        // Spliced: the front of this one, the end of another.
        List<String> donor = tokens(all.get(random.nextInt(all.size())));
        tokens.subList(at, tokens.size()).clear();
        tokens.addAll(donor.subList(random.nextInt(donor.size()), donor.size()));
      }
      default -> {
        // A run of tokens is put somewhere else again.
        int to = Math.min(tokens.size(), at + 1 + random.nextInt(8));
        tokens.addAll(other, List.copyOf(tokens.subList(at, to)));
      }
    }
  }

  private String odd() {
    return ODD[random.nextInt(ODD.length)];
  }

  private static List<String> tokens(String statement) {
    List<String> tokens = new ArrayList<>();
    Matcher m = TOKEN.matcher(statement);
    while (m.find()) {
      tokens.add(m.group());
    }
    return tokens;
  }
}
