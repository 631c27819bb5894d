package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.EnumDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropIndex;
import io.gauss.compute.sql.parse.PgStatement.DropView;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.TypeName;
import io.gauss.compute.sql.parse.TypeStatement.DropType;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** DROP TYPE. */
final class TypeDropper {
  private final DdlContext ddl;

  TypeDropper(DdlContext ddl) {
    this.ddl = ddl;
  }

  void drop(DropType statement) {
    Map<Integer, EnumDef> types = new LinkedHashMap<>();
    for (TypeName name : statement.names()) {
      EnumDef type = find(name, statement.ifExists());
      if (type != null) {
        types.put(type.oid(), type);
      }
    }
    drop(types, statement.behavior());
  }

  /** Null when there is none, and a notice is enough. */
  private EnumDef find(TypeName name, boolean ifExists) {
    TypeNaming naming = new TypeNaming(ddl);
    PgType type;
    try {
      type = naming.lookUp(name);
    } catch (GaussException e) {
      boolean isMissing =
          e.state() == SqlState.UNDEFINED_OBJECT || e.state() == SqlState.INVALID_SCHEMA_NAME;
      if (!ifExists || !isMissing) {
        throw e;
      }
      ddl.notice(e.getMessage() + ", skipping");
      return null;
    }
    if (!type.isUserDefined()) {
      throw new GaussException(
          SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
          "cannot drop type %s because it is required by the database system"
              .formatted(type.displayName()));
    }
    if (type.isArray()) {
      String element = type.element().displayName();
      throw new GaussException(
              SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
              "cannot drop type %s because type %s requires it"
                  .formatted(type.displayName(), element))
          .hint("You can drop type %s instead.".formatted(element));
    }
    return naming.find(new Name(name.schema(), name.name(), 0), TableLockMode.ACCESS_EXCLUSIVE);
  }

  /**
   * Drops types, and with CASCADE what depends on them.
   *
   * @param types locked, by their oids
   * @throws GaussException 2BP01 when something does and the behaviour is not CASCADE
   */
  void drop(Map<Integer, EnumDef> types, DropBehavior behavior) {
    List<TypeUses.InTable> uses = new ArrayList<>();
    Map<Integer, ViewDef> views = new LinkedHashMap<>();
    List<String> lines = new ArrayList<>();
    List<String> dropped = new ArrayList<>();
    for (EnumDef type : types.values()) {
      TypeUses of = new TypeUses(ddl, type.type());
      for (TypeUses.InTable use : of.inTables()) {
        uses.add(use);
        lines.add("%s depends on type %s".formatted(use.what(), shown(use.of())));
        dropped.add(use.what());
        for (ViewDef view : ddl.view().views()) {
          boolean isNamed = of.inViews().contains(view);
          if (!isNamed
              && view.dependsOn(use.table().oid(), use.number())
              && views.putIfAbsent(view.oid(), view) == null) {
            lines.add("%s depends on %s".formatted(shown(view), use.what()));
            dropped.add(shown(view));
          }
        }
      }
      for (ViewDef view : of.inViews()) {
        if (views.putIfAbsent(view.oid(), view) == null) {
          lines.add("%s depends on type %s".formatted(shown(view), shown(type.type())));
          dropped.add(shown(view));
        }
      }
    }
    if (!lines.isEmpty() && behavior != DropBehavior.CASCADE) {
      boolean one = types.size() == 1;
      throw new GaussException(
              SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
              "cannot drop %s because other objects depend on %s"
                  .formatted(
                      one
                          ? "type " + shown(types.values().iterator().next().type())
                          : "desired object(s)",
                      one ? "it" : "them"))
          .detail(String.join("\n", lines))
          .hint("Use DROP ... CASCADE to drop the dependent objects too.");
    }
    if (!lines.isEmpty()) {
      ddl.noticeCascade(dropped);
    }
    dropViews(views.values().stream().toList());
    uses.forEach(this::end);
    types.keySet().forEach(ddl.session::remove);
  }

  private void dropViews(List<ViewDef> views) {
    for (ViewDef view : views) {
      ViewDef now = ddl.view().view(view.oid());
      if (now != null) { // else it has gone with another
        Name name = new Name(now.schema(), now.name(), 0);
        new ViewDefiner(ddl.withoutNames())
            .drop(new DropView(List.of(name), true, DropBehavior.CASCADE));
      }
    }
  }

  private void end(TypeUses.InTable use) {
    ddl.transaction().lockTable(use.table().oid(), TableLockMode.ACCESS_EXCLUSIVE);
    TableDef now = ddl.view().table(use.table().oid());
    if (now == null) {
      return;
    }
    if (use.drop() == null) {
      Name name = new Name(now.schema(), use.index(), 0);
      new IndexDefiner(ddl.withoutNames())
          .drop(new DropIndex(List.of(name), true, false, DropBehavior.CASCADE));
    } else {
      new TableAlterer(ddl).change(now, List.of(use.drop()));
    }
  }

  private String shown(PgType type) {
    if (type.isArray()) {
      return shown(type.element()) + "[]";
    }
    return ddl.shown(type.schema(), type.name());
  }

  private String shown(ViewDef view) {
    return "view " + ddl.shown(view.schema(), view.name());
  }
}
