package io.gauss.compute.type;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Oids of the functions that pg_type and pg_am name, as PostgreSQL 15 has them: drivers compare
 * {@code typinput = 'array_in'::regproc}. These are the functions that regproc knows.
 */
public final class TypeFunctions {
  private static final Map<String, Integer> BY_NAME = new HashMap<>();
  private static final Map<Integer, String> BY_OID = new HashMap<>();

  static {
    try (InputStream in =
            Objects.requireNonNull(TypeFunctions.class.getResourceAsStream("type-functions.txt"));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
      for (String line : lines.lines().toList()) {
        int blank = line.indexOf(' ');
        int oid = Integer.parseInt(line.substring(0, blank));
        String name = line.substring(blank + 1);
        BY_NAME.put(name, oid);
        BY_OID.put(oid, name);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private TypeFunctions() {}

  /** 0 when there is no such function. */
  public static int oid(String name) {
    return BY_NAME.getOrDefault(name, 0);
  }

  /** Null when there is no such function. */
  static String name(int oid) {
    return BY_OID.get(oid);
  }
}
