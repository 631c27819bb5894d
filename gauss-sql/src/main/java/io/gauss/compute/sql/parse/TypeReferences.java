package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.type.BuiltinFunctions;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import io.gauss.compute.type.StoredTypes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlUnresolvedFunction;

/**
 * Finds the types that a text names, and gives it the form in which the catalog keeps it. Belongs
 * to one text.
 */
public final class TypeReferences {
  private final CatalogView catalog;
  private final List<String> searchPath;
  private final TypeLookup types;
  private final List<TypeName> names = new ArrayList<>();

  private TypeReferences(CatalogView catalog, List<String> searchPath) {
    this.catalog = catalog;
    this.searchPath = searchPath;
    this.types = new TypeLookup(catalog, searchPath);
  }

  /** The form of an expression in which it is stored; null for null. */
  public static String ofExpression(String text, CatalogView catalog, List<String> searchPath) {
    return text == null || !catalog.hasTypes()
        ? text
        : new TypeReferences(catalog, searchPath).stored(text, PgParser.parseExpression(text));
  }

  /** The form of a query in which it is stored. */
  public static String ofQuery(String text, CatalogView catalog, List<String> searchPath) {
    if (!catalog.hasTypes()
        || !(PgParser.parse(text).statement() instanceof PgStatement.Query query)) {
      return text;
    }
    return new TypeReferences(catalog, searchPath).stored(text, query.node());
  }

  private String stored(String text, SqlNode tree) {
    collect(tree);
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
      TypeName bare = new TypeName(name.schema(), name.name(), List.of(), 0, null, name.position());
      PgType type = types.find(bare);
      if (!type.isUserDefined()) {
        continue;
      }
      int token = 0;
      while (token < lexer.count() && lexer.start(token) != name.position() - 1) {
        token++;
      }
      if (token == lexer.count()) {
        throw GaussException.notSupported("type %s in \"%s\"".formatted(name, text));
      }
      int last = name.schema() == null ? token : token + 2;
      changed.replace(lexer.start(token), lexer.end(last), StoredTypes.written(type));
    }
    return changed.toString();
  }

  private void collect(SqlNode node) {
    switch (node) {
      case SqlDataTypeSpec spec when spec.getTypeNameSpec() instanceof PgTypeSpec ->
          names.add(PgTypeSpec.of(spec));
      case SqlCall call -> {
        if (call.getOperator() instanceof SqlUnresolvedFunction function) {
          cast(function.getNameAsId(), call);
        }
        call.getOperandList().stream().filter(Objects::nonNull).forEach(this::collect);
        if (call instanceof PgSelect select) {
          collect(select.distinctOn());
        }
      }
      case SqlNodeList list -> list.stream().filter(Objects::nonNull).forEach(this::collect);
      case null, default -> {}
    }
  }

  /** The name of a type that is called like a function. */
  private void cast(SqlIdentifier called, SqlCall call) {
    if (!called.isSimple() || call.operandCount() != 1) {
      return;
    }
    String name = called.getSimple();
    PgType type = catalog.type(searchPath, null, name);
    boolean isFunction = BuiltinFunctions.isName(name) || PgTypes.byNameOrNull(name) != null;
    if (type != null && !type.isPlainArray() && !isFunction) {
      int position = Math.max(0, call.getParserPosition().getColumnNum());
      names.add(new TypeName(null, name, List.of(), 0, null, position));
    }
  }
}
