package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.KeyExpression;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.exec.table.TableExpressionCompiler;
import io.gauss.compute.sql.parse.PgLexer;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Quoting;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.TypedLiteral;
import io.gauss.compute.type.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Labels of an enum in the texts that the catalog keeps. PostgreSQL keeps values there, which a new
 * label does not change; here the literals are written anew.
 */
final class StoredLiterals {
  private final DdlContext ddl;
  private final PgType before;
  private final PgType after;

  /**
   * @param before the type with its old labels, as it is in the catalog
   * @param after the same with new ones
   */
  StoredLiterals(DdlContext ddl, PgType before, PgType after) {
    this.ddl = ddl;
    this.before = before;
    this.after = after;
  }

  /** Locks the tables, domains and views that have the labels now. */
  void lock() {
    objects().forEach(this::locked);
  }

  /** Renames labels in all tables, domains and views. */
  void rename() {
    for (int oid : objects()) {
      CatalogObject changed = locked(oid);
      if (changed != null) {
        ddl.session.put(changed);
      }
    }
  }

  /** Tables in the order of their oids, then domains, then views. */
  private List<Integer> objects() {
    CatalogSnapshot catalog = ddl.view();
    List<Integer> oids = new ArrayList<>();
    catalog.tables().stream().map(TableDef::oid).sorted().forEach(oids::add);
    catalog.domains().stream().map(DomainDef::oid).sorted().forEach(oids::add);
    catalog.views().stream().map(ViewDef::oid).sorted().forEach(oids::add);
    return oids;
  }

  /** An object with its new labels, locked; null when nothing changes. */
  private CatalogObject locked(int oid) {
    if (changed(oid) == null) {
      return null;
    }
    if (ddl.view().domain(oid) != null) {
      ddl.session.lockAccess(oid);
    } else {
      ddl.transaction().lockTable(oid, TableLockMode.ACCESS_EXCLUSIVE);
    }
    return changed(oid); // it may be another one now
  }

  private CatalogObject changed(int oid) {
    TableDef table = ddl.view().table(oid);
    DomainDef domain = ddl.view().domain(oid);
    ViewDef view = ddl.view().view(oid);
    if (table != null) {
      return changed(table);
    }
    if (domain != null) {
      return changed(domain);
    }
    return view == null ? null : changed(view);
  }

  private TableExpressionCompiler expressions() {
    return ddl.services().expressions();
  }

  /** Null when nothing changes. */
  private TableDef changed(TableDef table) {
    TableEdit edit = new TableEdit(table);
    boolean changes = false;
    for (int i = 0; i < edit.columns.size(); i++) {
      ColumnDef column = edit.columns.get(i);
      String value = column.sequenceOid() == 0 ? column.defaultSql() : null;
      String newValue = changed(table, value, column.type());
      String newGenerated = changed(table, column.generatedSql(), column.type());
      if (newValue != null) {
        edit.columns.set(i, column.withDefault(newValue));
      } else if (newGenerated != null) {
        edit.columns.set(i, column.withGenerated(newGenerated));
      }
      changes |= newValue != null || newGenerated != null;
    }
    for (int i = 0; i < edit.checks.size(); i++) {
      CheckDef check = edit.checks.get(i);
      String newText = changed(table, check.sql(), null);
      if (newText != null) {
        edit.checks.set(i, new CheckDef(check.oid(), check.name(), newText));
        changes = true;
      }
    }
    for (int i = 0; i < edit.indexes.size(); i++) {
      IndexDef index = edit.indexes.get(i);
      IndexDef changed = changed(table, index);
      if (!changed.texts().equals(index.texts())) {
        edit.indexes.set(i, changed);
        changes = true;
      }
    }
    return changes ? edit.build() : null;
  }

  private IndexDef changed(TableDef table, IndexDef index) {
    Map<String, String> texts = new HashMap<>();
    for (KeyExpression key : index.expressions()) {
      texts.put(key.sql(), changed(table, key.sql(), key.type()));
    }
    if (index.isPartial()) {
      texts.put(index.predicate(), changed(table, index.predicate(), null));
    }
    return index.withTexts(text -> Objects.requireNonNullElse(texts.get(text), text));
  }

  /**
   * An expression of a table; null when it does not change.
   *
   * @param type of the column that gets its value; null = it is a condition
   */
  private String changed(TableDef table, String sql, PgType type) {
    if (!mayHaveLabel(sql)) {
      return null;
    }
    List<Change> changes = changes(sql, expressions().literals(table, sql, type, ddl.view()));
    return changes.isEmpty() ? null : apply(sql, changes);
  }

  /**
   * A literal to be written anew.
   *
   * @param start offset in the text; same for the end, which is exclusive
   */
  private record Change(int start, int end, String text) {
    int growth() {
      return text.length() - (end - start);
    }
  }

  /** In the order of the text. */
  private List<Change> changes(String sql, List<TypedLiteral> literals) {
    PgLexer lexer = new PgLexer().scan(sql);
    List<Change> changes = new ArrayList<>();
    for (TypedLiteral literal : literals) {
      if (literal.type().oid() != before.oid() && literal.type().oid() != before.arrayOid()) {
        continue;
      }
      int token = 0;
      while (token < lexer.count() && lexer.start(token) != literal.position() - 1) {
        token++;
      }
      if (token == lexer.count() || lexer.kind(token) != PgLexer.STRING) {
        throw GaussException.notSupported(
            "renaming a label that is used in the expression \"%s\"".formatted(sql));
      }
      String newText = newText(literal.type().isArray(), lexer.string(token));
      if (newText != null) {
        changes.add(new Change(lexer.start(token), lexer.end(token), Quoting.literal(newText)));
      }
    }
    // One place of the text may be bound twice.
    return changes.stream().distinct().sorted(Comparator.comparingInt(Change::start)).toList();
  }

  /** The same value with its new labels; null when they are as before. */
  private String newText(boolean isArray, String text) {
    Value value = new Value();
    value.isNull = false;
    TypeCodec.of(isArray ? before.array() : before).fromText(text, TypeContext.DEFAULT, value);
    TypeCodec codec = TypeCodec.of(isArray ? after.array() : after);
    String newText = codec.toText(value, TypeContext.DEFAULT);
    TypeCodec old = TypeCodec.of(isArray ? before.array() : before);
    return newText.equals(old.toText(value, TypeContext.DEFAULT)) ? null : newText;
  }

  private static String apply(String sql, List<Change> changes) {
    StringBuilder text = new StringBuilder(sql);
    for (Change change : changes.reversed()) {
      text.replace(change.start(), change.end(), change.text());
    }
    return text.toString();
  }

  /** Null when nothing changes. */
  private DomainDef changed(DomainDef domain) {
    DomainType before = domain.domain();
    String newDefault = changed(before, before.defaultSql(), false);
    List<DomainType.Check> checks = new ArrayList<>();
    for (DomainType.Check check : before.checks()) {
      String newText = changed(before, check.sql(), true);
      checks.add(
          newText == null
              ? check
              : new DomainType.Check(check.oid(), check.name(), newText, check.valid()));
    }
    if (newDefault == null && checks.equals(before.checks())) {
      return null;
    }
    DomainDef changed = domain.withChecks(checks);
    return newDefault == null ? changed : changed.withDefault(newDefault);
  }

  private String changed(DomainType domain, String sql, boolean isCondition) {
    if (!mayHaveLabel(sql)) {
      return null;
    }
    List<Change> changes =
        changes(sql, expressions().literals(domain, sql, isCondition, ddl.view()));
    return changes.isEmpty() ? null : apply(sql, changes);
  }

  private ViewDef changed(ViewDef view) {
    if (!mayHaveLabel(view.sql())) {
      return null;
    }
    List<Change> changes = changes(view.sql(), expressions().literals(view, ddl.view()));
    return changes.isEmpty()
        ? null
        : view.withText(
            apply(view.sql(), changes),
            position ->
                position
                    + changes.stream()
                        .filter(change -> change.start() < position)
                        .mapToInt(Change::growth)
                        .sum());
  }

  /** Few texts have any quoted literal, and fewer one with the label in it. */
  private boolean mayHaveLabel(String sql) {
    return sql != null
        && before.labels().inOrder().stream()
            .anyMatch(
                label ->
                    after.labels().find(label.name()) == null
                        && (sql.contains(label.name())
                            || sql.contains("\\")
                            || label.name().contains("'")));
  }
}
