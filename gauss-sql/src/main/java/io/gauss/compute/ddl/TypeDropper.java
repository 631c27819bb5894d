package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.invariant.Invariant;
import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TypeDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropIndex;
import io.gauss.compute.sql.parse.PgStatement.DropView;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.TypeName;
import io.gauss.compute.sql.parse.TypeStatement.DropType;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.DomainType.Check;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** DROP TYPE and DROP DOMAIN. */
final class TypeDropper {
  private final DdlContext ddl;

  TypeDropper(DdlContext ddl) {
    this.ddl = ddl;
  }

  void drop(DropType statement) {
    Map<Integer, TypeDef> types = new LinkedHashMap<>();
    for (TypeName name : statement.names()) {
      TypeDef type = find(name, statement);
      if (type != null) {
        types.put(type.oid(), type);
      }
    }
    drop(types, statement.behavior());
  }

  /** Null when there is none, and a notice is enough. */
  private TypeDef find(TypeName name, DropType statement) {
    TypeNaming naming = new TypeNaming(ddl);
    PgType type;
    try {
      type = naming.lookUp(name);
    } catch (GaussException e) {
      boolean isMissing =
          e.state() == SqlState.UNDEFINED_OBJECT || e.state() == SqlState.INVALID_SCHEMA_NAME;
      if (!statement.ifExists() || !isMissing) {
        throw e;
      }
      ddl.notice(e.getMessage() + ", skipping");
      return null;
    }
    if (statement.isDomain() && !type.isDomain()) {
      throw new GaussException(
          SqlState.WRONG_OBJECT_TYPE, "\"%s\" is not a domain".formatted(name));
    }
    if (!type.isUserDefined()) {
      throw new GaussException(
          SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
          "cannot drop type %s because it is required by the database system"
              .formatted(type.displayName()));
    }
    if (type.isPlainArray()) {
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
  void drop(Map<Integer, TypeDef> types, DropBehavior behavior) {
    Dependents dependents = new Dependents(types);
    for (TypeDef type : List.copyOf(types.values()).reversed()) { // as PostgreSQL lists them
      dependents.add(type);
    }
    if (!dependents.lines.isEmpty() && behavior != DropBehavior.CASCADE) {
      boolean one = types.size() == 1;
      throw new GaussException(
              SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
              "cannot drop %s because other objects depend on %s"
                  .formatted(
                      one
                          ? "type " + shown(types.values().iterator().next().type())
                          : "desired object(s)",
                      one ? "it" : "them"))
          .detail(String.join("\n", dependents.lines))
          .hint("Use DROP ... CASCADE to drop the dependent objects too.");
    }
    if (!dependents.lines.isEmpty()) {
      ddl.noticeCascade(dependents.dropped);
    }
    dropViews(dependents.views.values().stream().toList());
    dependents.uses.forEach(this::end);
    dependents.checks.forEach(this::end);
    remove(dependents.types);
  }

  /** Removes types, domains before what they are made over. */
  private void remove(Map<Integer, TypeDef> types) {
    Map<Integer, TypeDef> left = new LinkedHashMap<>(types);
    while (!left.isEmpty()) {
      List<TypeDef> free =
          left.values().stream().filter(type -> !isUnder(type, left.values())).toList();
      Invariant.check(!free.isEmpty(), "no domain is made over itself");
      for (TypeDef type : free) {
        left.remove(type.oid());
        ddl.session.remove(type.oid());
      }
    }
  }

  private static boolean isUnder(TypeDef type, Collection<TypeDef> others) {
    return others.stream()
        .anyMatch(
            other ->
                other instanceof DomainDef domain
                    && domain.domain().base().definitionOid() == type.oid());
  }

  /** A condition of a domain that goes. */
  private record DomainCheck(int domainOid, Check check) {}

  /** What depends on types, and on the domains among that. */
  private final class Dependents {
    final Map<Integer, TypeDef> types;
    final List<TypeUses.InTable> uses = new ArrayList<>();
    final List<DomainCheck> checks = new ArrayList<>();
    final Map<Integer, ViewDef> views = new LinkedHashMap<>();
    final List<String> lines = new ArrayList<>();
    final List<String> dropped = new ArrayList<>();

    /**
     * @param types that are dropped anyway
     */
    Dependents(Map<Integer, TypeDef> types) {
      this.types = new LinkedHashMap<>(types);
    }

    private void note(String what, String on) {
      lines.add("%s depends on %s".formatted(what, on));
      dropped.add(what);
    }

    /** One object that depends on a type. */
    private record Item(boolean isOfArray, int oid, Runnable note) {}

    /** As PostgreSQL lists them: by oid, those of the array type where that has its place. */
    void add(TypeDef type) {
      List<Item> items = new ArrayList<>();
      TypeUses of = new TypeUses(ddl, type.type());
      String on = "type " + shown(type.type());
      for (TypeUses.InTable use : of.inTables()) {
        boolean isOfArray = use.of().declaredOid() == type.arrayOid();
        items.add(new Item(isOfArray, use.oid(), () -> add(of, use)));
      }
      for (DomainDef domain : of.inDomains()) {
        boolean isOfArray = domain.domain().base().declaredOid() == type.arrayOid();
        String array = isOfArray ? on + "[]" : on;
        items.add(new Item(isOfArray, domain.oid(), () -> add(array, domain)));
      }
      for (DomainDef domain : ddl.view().domains()) {
        for (Check check : of.inChecks(domain)) {
          items.add(new Item(false, check.oid(), () -> add(on, domain, check)));
        }
      }
      for (ViewDef view : of.inViews()) {
        items.add(new Item(false, view.oid(), () -> add(on, view)));
      }
      items.sort(
          Comparator.comparingInt((Item item) -> item.isOfArray() ? type.arrayOid() : item.oid())
              .thenComparingInt(Item::oid));
      items.forEach(item -> item.note().run());
    }

    private void add(TypeUses of, TypeUses.InTable use) {
      uses.add(use);
      note(use.what(), "type " + shown(use.of()));
      for (ViewDef view : ddl.view().views()) {
        if (!of.inViews().contains(view) && view.dependsOn(use.table().oid(), use.number())) {
          add(use.what(), view);
        }
      }
    }

    private void add(String on, ViewDef view) {
      if (views.putIfAbsent(view.oid(), view) == null) {
        note(shown(view), on);
      }
    }

    private void add(String on, DomainDef domain, Check check) {
      if (!types.containsKey(domain.oid())) {
        checks.add(new DomainCheck(domain.oid(), check));
        note("constraint " + check.name(), on);
      }
    }

    /** A domain that goes with the type. */
    private void add(String on, DomainDef domain) {
      if (types.containsKey(domain.oid())) {
        return;
      }
      ddl.transaction().lockTable(domain.oid(), TableLockMode.ACCESS_EXCLUSIVE);
      DomainDef now = ddl.view().domain(domain.oid());
      if (now != null) {
        types.put(now.oid(), now);
        note("type " + shown(now.type()), on);
        add(now);
      }
    }
  }

  private void end(DomainCheck use) {
    ddl.session.lockAccess(use.domainOid());
    DomainDef now = ddl.view().domain(use.domainOid());
    if (now != null) {
      ddl.session.comment(now.oid(), SystemOids.PG_CONSTRAINT, use.check().oid(), 0, null);
      ddl.session.put(now.withChecks(DomainAlterer.without(now, use.check())));
    }
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
    if (type.isPlainArray()) {
      return shown(type.element()) + "[]";
    }
    return ddl.shown(type.schema(), type.name());
  }

  private String shown(ViewDef view) {
    return "view " + ddl.shown(view.schema(), view.name());
  }
}
