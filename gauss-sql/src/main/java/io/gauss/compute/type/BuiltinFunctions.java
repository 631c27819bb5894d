package io.gauss.compute.type;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The functions that pg_proc shows: those that statements can call, and those that pg_type and
 * pg_am name, since drivers ask for {@code typinput = 'array_in'::regproc}. The resource, which
 * BuiltinFunctionsTest records, has PostgreSQL 15's oids and descriptions.
 */
public final class BuiltinFunctions {
  /** PostgreSQL's types that Gauss does not have and that signatures name. */
  private static final Map<Integer, String> OTHER_TYPES =
      Map.ofEntries(
          Map.entry(194, "pg_node_tree"),
          Map.entry(2277, "anyarray"),
          Map.entry(2283, "anyelement"),
          Map.entry(2776, "anynonarray"),
          Map.entry(3500, "anyenum"),
          Map.entry(5077, "anycompatible"),
          Map.entry(5078, "anycompatiblearray"),
          Map.entry(5079, "anycompatiblenonarray"),
          Map.entry(2275, "cstring"),
          Map.entry(1263, "cstring[]"),
          Map.entry(2281, "internal"),
          Map.entry(2249, "record"));

  private static final Map<Integer, BuiltinFunction> BY_OID = new LinkedHashMap<>();
  private static final Map<String, List<BuiltinFunction>> BY_NAME = new HashMap<>();

  static {
    try (InputStream in =
            Objects.requireNonNull(BuiltinFunctions.class.getResourceAsStream("functions.txt"));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line : lines.lines().toList()) {
        BuiltinFunction function = new BuiltinFunction(line);
        BY_OID.put(function.oid(), function);
        BY_NAME.computeIfAbsent(function.name(), name -> new ArrayList<>()).add(function);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private BuiltinFunctions() {}

  /** In the order of their oids. */
  public static List<BuiltinFunction> all() {
    return List.copyOf(BY_OID.values());
  }

  /** Null when there is none. */
  public static BuiltinFunction find(int oid) {
    return BY_OID.get(oid);
  }

  /** All overloads; empty when there are none. */
  static List<BuiltinFunction> named(String name) {
    return BY_NAME.getOrDefault(name, List.of());
  }

  /** Whether any function has the name. */
  public static boolean isName(String name) {
    return BY_NAME.containsKey(name);
  }

  /** Of the only function of this name; 0 when there is none, or several. */
  public static int oid(String name) {
    List<BuiltinFunction> named = named(name);
    return named.size() == 1 ? named.getFirst().oid() : 0;
  }

  /** Name of a type that Gauss does not have. */
  static String typeName(int oid) {
    return OTHER_TYPES.getOrDefault(oid, Integer.toUnsignedString(oid));
  }
}
