package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.InOrder;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.txn.TableLockMode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Views that depend on an object that is to be dropped or changed. */
final class ViewDependents {
  private final DdlContext ddl;

  /** Dependent views by oid, in the order in which they are found, and what each depends on. */
  private final Map<Integer, ViewDef> found = new LinkedHashMap<>();

  private final List<String> lines = new ArrayList<>();

  ViewDependents(DdlContext ddl) {
    this.ddl = ddl;
  }

  /**
   * Drops the views that depend on relations that are about to be dropped.
   *
   * @throws GaussException 2BP01 when there are some and the behaviour is not CASCADE
   */
  void drop(Collection<Integer> relations, DropBehavior behavior) {
    for (int oid : relations) {
      String on = describe(ddl.view().object(oid));
      collect(view -> view.dependsOn(oid), on, InOrder.copyOf(relations));
    }
    String what =
        relations.size() == 1
            ? describe(ddl.view().object(relations.iterator().next()))
            : "desired object(s)";
    finish(what, relations.size() == 1 ? "it" : "them", behavior);
  }

  /**
   * Drops the views that depend on a column that is about to be dropped.
   *
   * @throws GaussException 2BP01 when there are some and the behaviour is not CASCADE
   */
  void dropOfColumn(TableDef table, int attribute, String column, DropBehavior behavior) {
    String what = "column %s of %s".formatted(column, describe(table));
    collect(view -> view.dependsOn(table.oid(), attribute), what, Set.of());
    finish(what, "it", behavior);
  }

  /**
   * @throws GaussException 0A000 when a view uses the column, whose type is to be changed
   */
  void refuseTypeChange(TableDef table, int attribute, String column) {
    for (ViewDef view : byOid()) {
      if (view.dependsOn(table.oid(), attribute)) {
        throw new GaussException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "cannot alter type of a column used by a view or rule")
            .detail(
                "rule _RETURN on %s depends on column \"%s\"".formatted(describe(view), column));
      }
    }
  }

  private List<ViewDef> byOid() {
    return ddl.view().views().stream().sorted(Comparator.comparingInt(ViewDef::oid)).toList();
  }

  private void collect(Predicate<ViewDef> dependent, String on, Set<Integer> goAnyway) {
    List<ViewDef> direct = new ArrayList<>();
    for (ViewDef view : byOid()) {
      if (dependent.test(view)
          && !goAnyway.contains(view.oid())
          && !found.containsKey(view.oid())) {
        found.put(view.oid(), view);
        lines.add("%s depends on %s".formatted(describe(view), on));
        direct.add(view);
      }
    }
    for (ViewDef view : direct) {
      collect(other -> other.dependsOn(view.oid()), describe(view), goAnyway);
    }
  }

  private void finish(String what, String pronoun, DropBehavior behavior) {
    if (found.isEmpty()) {
      return;
    }
    if (behavior != DropBehavior.CASCADE) {
      throw new GaussException(
              SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
              "cannot drop %s because other objects depend on %s".formatted(what, pronoun))
          .detail(String.join("\n", lines))
          .hint("Use DROP ... CASCADE to drop the dependent objects too.");
    }
    for (ViewDef view : found.values()) {
      ddl.transaction().lockTable(view.oid(), TableLockMode.ACCESS_EXCLUSIVE);
      ddl.session.remove(view.oid());
    }
    ddl.noticeCascade(found.values().stream().map(this::describe).toList());
  }

  private String describe(CatalogObject relation) {
    return switch (relation) {
      case TableDef table -> "table " + ddl.shown(table.schema(), table.name());
      case ViewDef view -> "view " + ddl.shown(view.schema(), view.name());
      default -> throw new IllegalStateException("views do not depend on " + relation);
    };
  }
}
