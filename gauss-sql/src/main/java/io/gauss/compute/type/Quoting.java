package io.gauss.compute.type;

import java.util.Set;

/** Quotes identifiers and literals for use in SQL text. */
public final class Quoting {
  /** PostgreSQL 15's keywords that are not unreserved: as identifiers they need quotes. */
  private static final Set<String> KEYWORDS =
      Set.of(
          ("all analyse analyze and any array as asc asymmetric authorization between bigint binary"
               + " bit boolean both case cast char character check coalesce collate collation"
               + " column concurrently constraint create cross current_catalog current_date"
               + " current_role current_schema current_time current_timestamp current_user dec"
               + " decimal default deferrable desc distinct do else end except exists extract false"
               + " fetch float for foreign freeze from full grant greatest group grouping having"
               + " ilike in initially inner inout int integer intersect interval into is isnull"
               + " join lateral leading least left like limit localtime localtimestamp national"
               + " natural nchar none normalize not notnull null nullif numeric offset on only or"
               + " order out outer overlaps overlay placing position precision primary real"
               + " references returning right row select session_user setof similar smallint some"
               + " substring symmetric table tablesample then time timestamp to trailing treat trim"
               + " true union unique user using values varchar variadic verbose when where window"
               + " with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces"
               + " xmlparse xmlpi xmlroot xmlserialize xmltable")
              .split(" "));

  private Quoting() {}

  /** The name, in double quotes when it needs them. */
  public static String identifier(String name) {
    boolean plain = !name.isEmpty() && !KEYWORDS.contains(name);
    for (int i = 0; i < name.length() && plain; i++) {
      char c = name.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || c == '_';
      plain = letter || (i > 0 && c >= '0' && c <= '9');
    }
    return plain ? name : '"' + name.replace("\"", "\"\"") + '"';
  }

  /** The text in single quotes, with an E in front when it contains backslashes. */
  public static String literal(String text) {
    String quoted = "'" + text.replace("'", "''").replace("\\", "\\\\") + "'";
    return text.indexOf('\\') >= 0 ? "E" + quoted : quoted;
  }
}
