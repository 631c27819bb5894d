package io.gauss.compute.type;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Types of CREATE TYPE in the texts that the catalog keeps: defaults, conditions, queries of views.
 * There they are named by their oids, as {@code pg_catalog."#16390"}: no search path and no other
 * name of the type changes what a text means, and the text tells which types it uses.
 */
public final class StoredTypes {
  private static final Pattern STORED = Pattern.compile("pg_catalog\\.\"#([0-9]{1,9})\"");
  private static final Pattern NAME = Pattern.compile("#[0-9]{1,9}");

  private StoredTypes() {}

  /** Oid in the name of a stored type; 0 when it is an ordinary name. */
  public static int oid(String name) {
    return NAME.matcher(name).matches() ? Integer.parseInt(name, 1, name.length(), 10) : 0;
  }

  /** A type as stored texts name it. */
  public static String written(PgType type) {
    if (!type.isUserDefined()) {
      return type.displayName();
    }
    return type.isPlainArray() ? written(type.element()) + "[]" : written(type.declaredOid());
  }

  private static String written(int oid) {
    return "pg_catalog.\"" + name(oid) + '"';
  }

  /** The name in pg_catalog by which stored texts know a type. */
  public static String name(int oid) {
    return "#" + oid;
  }

  /** Whether a stored text names a type; null is a text without any. */
  public static boolean uses(String text, int typeOid) {
    return text != null && text.contains(written(typeOid));
  }

  /** Types that a stored text names; null is a text without any. */
  public static Set<Integer> oids(String text) {
    Set<Integer> oids = new TreeSet<>();
    if (text != null && text.contains("pg_catalog.\"#")) {
      STORED.matcher(text).results().forEach(found -> oids.add(Integer.valueOf(found.group(1))));
    }
    return oids;
  }

  /**
   * A stored text for clients; null for null.
   *
   * @param names gives a type's name as a statement can write it; null = there is no such type
   */
  public static String shown(String text, IntFunction<String> names) {
    if (text == null || !text.contains("pg_catalog.\"#")) {
      return text;
    }
    return STORED
        .matcher(text)
        .replaceAll(
            found -> {
              String name = names.apply(Integer.parseInt(found.group(1)));
              return Matcher.quoteReplacement(name == null ? found.group() : name);
            });
  }
}
