package io.gauss.compute.type;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.library.BuiltinLibraries;
import io.gauss.compute.reference.PostgresClient;
import io.gauss.compute.reference.Recording;
import io.gauss.compute.reference.ReferencePostgres;
import io.gauss.compute.sql.bind.set.SetFunctions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The resource of {@link BuiltinFunctions} has just those functions of a PostgreSQL 15 that Gauss
 * can call or that its pg_type and pg_am name, as that PostgreSQL describes them, and Gauss's own.
 * {@link Recording} writes it.
 */
class BuiltinFunctionsTest {
  private static final Path RESOURCE =
      Path.of("src/main/resources/io/gauss/compute/type/functions.txt");

  private static final String ROWS =
      """
      SELECT oid, proname, prolang, procost, prorows, provariadic, prokind, proleakproof,
        proisstrict, proretset, provolatile, proparallel, pronargdefaults, prorettype,
        array_to_string(proargtypes::oid[], ' '), array_to_string(proallargtypes, ' '),
        array_to_string(proargmodes, ' '), array_to_string(proargnames, ','), prosrc,
        pg_get_function_arguments(oid), pg_get_function_identity_arguments(oid),
        pg_get_function_result(oid), oid IN (%s)
      FROM pg_proc p WHERE pronamespace = 'pg_catalog'::regnamespace ORDER BY oid\
      """;

  private static final List<String> OF_TYPES =
      List.of(
          "typinput",
          "typoutput",
          "typreceive",
          "typsend",
          "typmodin",
          "typmodout",
          "typanalyze",
          "typsubscript");

  /** Gauss's own functions: as rows without an oid. */
  private static final List<String> OWN =
      List.of(
          "gauss_current_xid\t12\t1\t0\t0\tf\tf\tt\tf\tv\tu\t0\t20\t\t\\N\t\\N\t\\N"
              + "\tgauss_current_xid\t\t\tbigint",
          "gauss_txn_status\t12\t1\t0\t0\tf\tf\tt\tf\tv\tu\t0\t25\t20\t\\N\t\\N\t\\N"
              + "\tgauss_txn_status\tbigint\tbigint\ttext",
          "gauss_key_owners\t12\t1\t0\t0\tf\tf\tt\tf\tv\tu\t0\t25\t25 25 25\t\\N\t\\N\t\\N"
              + "\tgauss_key_owners\ttext, text, text\ttext, text, text\ttext");

  /** Names without a row in PostgreSQL, too: special syntax, most of it without parentheses. */
  private static final Set<String> SYNTAX =
      Set.of(
          "[:]",
          "[:]=",
          "[]",
          "[]=",
          "current_catalog",
          "current_date",
          "current_role",
          "current_timestamp",
          "localtime",
          "localtimestamp",
          "user");

  private static final int FIRST_OWN = 15_500;

  /** Types with which a call of a polymorphic function is tried. */
  private static final Map<Integer, PgType> EXAMPLES =
      Map.of(
          194, PgType.TEXT, // pg_node_tree
          2249, PgType.RECORD,
          2276, PgType.INT4, // any
          2277, PgType.INT4_ARRAY,
          2283, PgType.INT4,
          2776, PgType.INT4,
          3500, PgType.ANYENUM,
          5077, PgType.INT4,
          5078, PgType.INT4_ARRAY,
          5079, PgType.INT4);

  private final FunctionRegistry functions = BuiltinLibraries.registry();

  @Test
  void thoseThatCanBeCalledAreListedAsInPostgres() throws Exception {
    List<String> wanted = new ArrayList<>();
    try (PostgresClient postgres = ReferencePostgres.get().newClient()) {
      PostgresClient.Answer answer = postgres.query(List.of(ROWS.formatted(named()))).getFirst();
      assertNull(answer.error());
      for (List<String> row : answer.rows()) {
        List<String> fields = row.subList(0, row.size() - 1);
        if (row.getLast().equals("t") || isCallable(fields)) {
          String line =
              fields.stream()
                  .map(field -> Objects.requireNonNullElse(field, "\\N"))
                  .collect(Collectors.joining("\t"));
          assertEquals(-1, line.indexOf('\n'), line);
          wanted.add(line);
        }
      }
    }
    for (int i = 0; i < OWN.size(); i++) {
      wanted.add(FIRST_OWN + i + "\t" + OWN.get(i));
    }
    if (Recording.isWanted()) {
      Files.write(RESOURCE, wanted, StandardCharsets.UTF_8);
    }
    assertEquals(
        String.join("\n", wanted),
        String.join("\n", Files.readAllLines(RESOURCE, StandardCharsets.UTF_8)));
  }

  @Test
  void eachFunctionOfTheRegistryIsListed() {
    List<String> missing = new ArrayList<>(functions.names());
    missing.removeIf(name -> SYNTAX.contains(name) || !BuiltinFunctions.named(name).isEmpty());
    assertEquals(List.of(), missing);
    assertTrue(BuiltinFunctions.all().size() > 500);
  }

  /** Oids of what pg_type and pg_am name, in a query to PostgreSQL. */
  private static String named() {
    String types =
        PgTypes.all().stream()
            .map(type -> Integer.toString(type.oid()))
            .sorted()
            .collect(Collectors.joining(", "));
    return OF_TYPES.stream()
            .map(column -> "SELECT %s FROM pg_type WHERE oid IN (%s)".formatted(column, types))
            .collect(Collectors.joining(" UNION ALL "))
        + " UNION ALL SELECT oid FROM pg_proc WHERE proname IN ('enum_in', 'enum_out', 'enum_recv',"
        + " 'enum_send', 'domain_in', 'domain_recv')"
        + " UNION ALL SELECT amhandler FROM pg_am WHERE amname IN ('heap', 'btree')";
  }

  private boolean isCallable(List<String> row) {
    String name = row.get(1);
    List<PgType> types = new ArrayList<>();
    for (String oid : row.get(14).isEmpty() ? new String[0] : row.get(14).split(" ")) {
      int number = Integer.parseInt(oid);
      PgType type = EXAMPLES.getOrDefault(number, PgTypes.byOidOrNull(number));
      if (type == null || type.isUnknown()) {
        return false;
      }
      types.add(type);
    }
    PgType repeated = PgTypes.byOidOrNull(Integer.parseInt(row.get(5)));
    if (repeated != null && !repeated.isPseudo()) {
      types.set(types.size() - 1, repeated); // not the array of them
    }
    if (row.get(6).equals("w")) {
      return true; // WindowCall has all of them
    }
    if (row.get(9).equals("t")) {
      return SetFunctions.contains(name);
    }
    try {
      if (row.get(6).equals("a")) {
        functions.aggregate(name, types);
      } else if (functions.isFunction(name)) {
        functions.function(name, types);
      } else {
        return false;
      }
      return true;
    } catch (GaussException e) {
      return false;
    }
  }
}
