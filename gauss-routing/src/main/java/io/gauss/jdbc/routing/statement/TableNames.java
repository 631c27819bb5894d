package io.gauss.jdbc.routing.statement;

import io.gauss.jdbc.routing.statement.StatementTemplate.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tables that a statement names, by their aliases. */
final class TableNames {
  static final TableNames NONE = new TableNames(Map.of());

  private static final Set<String> NO_ALIAS =
      Set.of(
          "join",
          "inner",
          "left",
          "right",
          "full",
          "cross",
          "natural",
          "outer",
          "on",
          "using",
          "set",
          "lateral",
          "tablesample");

  private final Map<String, String> byAlias;
  private final String only;

  private TableNames(Map<String, String> byAlias) {
    this.byAlias = byAlias;
    this.only = byAlias.size() == 1 ? byAlias.values().iterator().next() : "";
  }

  /** The table of that alias or name; without one the only table, or "" when there are several. */
  String of(String alias) {
    return alias == null ? only : byAlias.getOrDefault(alias, alias);
  }

  /**
   * @param head tokens before WHERE
   */
  static TableNames of(Kind kind, List<Token> head) {
    Map<String, String> found = new HashMap<>();
    boolean expected = kind == Kind.UPDATE;
    int depth = 0;
    for (int i = kind == Kind.UPDATE ? 1 : 0; i < head.size(); i++) {
      Token t = head.get(i);
      depth += t.is("(") ? 1 : t.is(")") ? -1 : 0;
      if (depth > 0 || t.is(")")) {
        expected = false;
      } else if (t.is("from") || t.is("join") || t.is("using") && kind == Kind.DELETE) {
        expected = true;
      } else if (t.is(",")) {
        expected = kind != Kind.UPDATE && !found.isEmpty();
      } else if (expected && t.isWord() && !t.is("only")) {
        i = table(head, i, found);
        expected = false;
      }
    }
    return new TableNames(found);
  }

  /** Reads name and alias from {@code at} on, and returns the place of the last token read. */
  private static int table(List<Token> head, int at, Map<String, String> found) {
    int i = at;
    while (i + 2 < head.size() && head.get(i + 1).is(".")) {
      i += 2;
    }
    String name = head.get(i).text();
    int alias = i + 1 < head.size() && head.get(i + 1).is("as") ? i + 2 : i + 1;
    boolean has =
        alias < head.size()
            && head.get(alias).isWord()
            && !NO_ALIAS.contains(head.get(alias).text());
    found.put(has ? head.get(alias).text() : name, name);
    return has ? alias : i;
  }
}
