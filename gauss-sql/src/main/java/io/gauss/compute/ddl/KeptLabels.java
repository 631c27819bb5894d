package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.exec.table.TableExpressionCompiler;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypedLiteral;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Keeps the labels in the texts that a statement has stored from being renamed until its
 * transaction ends, since who renames one sees only committed texts, in which it then writes the
 * new label ({@link StoredLiterals}). PostgreSQL keeps values there, and needs no lock.
 *
 * <p>Only types whose labels are in new texts are locked. They need not be named there: {@code
 * DEFAULT 'a'} is a label if its column is of an enum.
 */
final class KeptLabels {
  private final DdlContext ddl;
  private final Set<Integer> locked = new HashSet<>();

  KeptLabels(DdlContext ddl) {
    this.ddl = ddl;
  }

  /**
   * Keeps the labels in the texts of some tables, domains and views that the transaction has
   * changed, as far as these differ from what is committed: that is seen by everybody. May wait.
   *
   * @param oids of objects of any kind
   * @throws GaussException 22P02 when a label has just been renamed
   */
  void keep(Collection<Integer> oids) {
    if (!ddl.view().hasTypes()) {
      return;
    }
    for (int oid : oids) {
      while (lock(types(oid))) {
        // It may have been waited for others: the texts are read with the labels of now.
      }
    }
  }

  /** Whether any of the types was not locked before. */
  private boolean lock(Set<Integer> types) {
    boolean isNew = false;
    for (int oid : types) {
      if (locked.add(oid)) {
        ddl.lockType(oid);
        isNew = true;
      }
    }
    return isNew;
  }

  /** The types whose labels are in new texts of an object. */
  private Set<Integer> types(int oid) {
    CatalogSnapshot catalog = ddl.view();
    List<TypedLiteral> literals = new ArrayList<>();
    try {
      if (catalog.table(oid) != null) {
        for (StoredText text : newTexts(catalog.table(oid))) {
          literals.addAll(
              expressions().literals(catalog.table(oid), text.sql(), text.type(), catalog));
        }
      } else if (catalog.domain(oid) != null && isNew(catalog.domain(oid))) {
        literals.addAll(literals(catalog.domain(oid).domain()));
      } else if (catalog.view(oid) != null && isNew(catalog.view(oid))) {
        literals.addAll(expressions().literals(catalog.view(oid), catalog));
      }
    } catch (GaussException e) {
      throw e.position(0); // it is one in the stored text
    }
    Set<Integer> types = new HashSet<>();
    for (TypedLiteral literal : literals) {
      PgType type = literal.type();
      types.add(type.isArray() ? type.element().oid() : type.oid());
    }
    return types;
  }

  private Set<StoredText> newTexts(TableDef table) {
    Set<StoredText> texts = StoredText.of(table);
    if (ddl.session.committed(table.oid()) instanceof TableDef before) {
      texts.removeAll(StoredText.of(before));
    }
    texts.removeIf(text -> !mayHaveLabel(text.sql()));
    return texts;
  }

  private boolean isNew(DomainDef domain) {
    return !(ddl.session.committed(domain.oid()) instanceof DomainDef before
        && Objects.equals(before.domain().defaultSql(), domain.domain().defaultSql())
        && before.domain().checks().equals(domain.domain().checks()));
  }

  private List<TypedLiteral> literals(DomainType domain) {
    List<TypedLiteral> literals = new ArrayList<>();
    if (domain.defaultSql() != null && mayHaveLabel(domain.defaultSql())) {
      literals.addAll(expressions().literals(domain, domain.defaultSql(), false, ddl.view()));
    }
    for (DomainType.Check check : domain.checks()) {
      if (mayHaveLabel(check.sql())) {
        literals.addAll(expressions().literals(domain, check.sql(), true, ddl.view()));
      }
    }
    return literals;
  }

  private boolean isNew(ViewDef view) {
    boolean isCommitted =
        ddl.session.committed(view.oid()) instanceof ViewDef before
            && before.sql().equals(view.sql());
    return !isCommitted && mayHaveLabel(view.sql());
  }

  private static boolean mayHaveLabel(String sql) {
    return sql.contains("'");
  }

  private TableExpressionCompiler expressions() {
    return ddl.services().expressions();
  }
}
