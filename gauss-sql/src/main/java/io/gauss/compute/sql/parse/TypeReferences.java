package io.gauss.compute.sql.parse;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.StoredTypes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;

/** Finds the types that a text names, and gives it the form in which the catalog keeps it. */
public final class TypeReferences {
  private TypeReferences() {}

  /** The form of an expression in which it is stored; null for null. */
  public static String ofExpression(String text, CatalogView catalog, List<String> searchPath) {
    return text == null || !catalog.hasTypes()
        ? text
        : stored(text, PgParser.parseExpression(text), new TypeLookup(catalog, searchPath));
  }

  /** The form of a query in which it is stored. */
  public static String ofQuery(String text, CatalogView catalog, List<String> searchPath) {
    if (!catalog.hasTypes()
        || !(PgParser.parse(text).statement() instanceof PgStatement.Query query)) {
      return text;
    }
    return stored(text, query.node(), new TypeLookup(catalog, searchPath));
  }

  private static String stored(String text, SqlNode tree, TypeLookup types) {
    List<TypeName> names = new ArrayList<>();
    collect(tree, names);
    // From the end, so that offsets stay valid.
    names.sort(Comparator.comparingInt(TypeName::position).reversed());
    PgLexer lexer = new PgLexer().scan(text);
    StringBuilder changed = new StringBuilder(text);
    int before = Integer.MAX_VALUE;
    for (TypeName name : names) {
      if (name.position() == before || name.intervalFields() != null) {
        continue; // One place of the text may be in the tree twice.
      }
      before = name.position();
      TypeName bare =
          new TypeName(name.schema(), name.name(), List.of(), 0, null, name.position());
      PgType type = types.find(bare);
      if (!type.isUserDefined()) {
        continue;
      }
      int token = 0;
      while (lexer.start(token) != name.position() - 1) {
        token++;
      }
      int last = name.schema() == null ? token : token + 2;
      changed.replace(lexer.start(token), lexer.end(last), StoredTypes.written(type));
    }
    return changed.toString();
  }

  private static void collect(SqlNode node, List<TypeName> found) {
    switch (node) {
      case SqlDataTypeSpec spec when spec.getTypeNameSpec() instanceof PgTypeSpec ->
          found.add(PgTypeSpec.of(spec));
      case SqlCall call -> {
        call.getOperandList().stream()
            .filter(Objects::nonNull)
            .forEach(operand -> collect(operand, found));
        if (call instanceof PgSelect select) {
          collect(select.distinctOn(), found);
        }
      }
      case SqlNodeList list ->
          list.stream().filter(Objects::nonNull).forEach(item -> collect(item, found));
      case null, default -> {}
    }
  }
}
