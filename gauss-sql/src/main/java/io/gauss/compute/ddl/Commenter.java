package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.TypeDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.PgStatement.Comment;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.DomainType;
import java.util.List;
import java.util.Locale;

/** COMMENT ON. */
final class Commenter {
  private final DdlContext ddl;

  Commenter(DdlContext ddl) {
    this.ddl = ddl;
  }

  void comment(Comment comment) {
    String text = comment.text() == null || comment.text().isEmpty() ? null : comment.text();
    List<String> path = comment.object();
    switch (comment.objectKind()) {
      case "TABLE", "VIEW", "SEQUENCE", "INDEX" -> relation(comment.objectKind(), name(path), text);
      case "COLUMN" -> column(path, text);
      case "TYPE" -> type(new TypeNaming(ddl).find(name(path), TableLockMode.ACCESS_SHARE), text);
      case "DOMAIN" -> type(domain(name(path)), text);
      case "CONSTRAINT ON DOMAIN" -> domainConstraint(path.getFirst(), comment.table(), text);
      case "CONSTRAINT" -> constraint(path.getFirst(), comment.table(), text);
      case "SCHEMA" -> {
        SchemaDef schema = ddl.view().schema(path.getFirst());
        if (schema == null) {
          throw DdlContext.noSchema(path.getFirst());
        }
        ddl.requireOwner(schema.oid(), "schema", schema.name());
        set(schema.oid(), SystemOids.PG_NAMESPACE, schema.oid(), 0, text);
      }
      case "ROLE" -> role(path.getFirst(), text);
      case "DATABASE" -> database(path.getFirst(), text);
      default -> throw GaussException.notSupported("COMMENT ON " + comment.objectKind());
    }
  }

  private void set(int holder, int classOid, int objectOid, int attribute, String text) {
    ddl.session.comment(holder, classOid, objectOid, attribute, text);
  }

  private static Name name(List<String> path) {
    if (path.size() > 2) {
      throw GaussException.notSupported("a reference to another database");
    }
    return new Name(path.size() == 2 ? path.getFirst() : null, path.getLast(), 0);
  }

  // ---------------------------------------------------------------- relations

  private void relation(String kind, Name written, String text) {
    Name name = ddl.own(written);
    ddl.requireSchemaUsage(name);
    TableDef indexed = ddl.view().tableOfIndex(ddl.searchPath(), name.schema(), name.name());
    SequenceDef sequence = ddl.sequence(name);
    CatalogObject found = ddl.view().relation(ddl.searchPath(), name.schema(), name.name());
    String is =
        found instanceof ViewDef
            ? "VIEW"
            : found != null ? "TABLE" : sequence != null ? "SEQUENCE" : "INDEX";
    if (found == null && sequence == null && indexed == null) {
      throw DdlContext.noRelation(name);
    }
    if (!is.equals(kind)) {
      String article = kind.equals("INDEX") ? "an" : "a";
      throw new GaussException(
          SqlState.WRONG_OBJECT_TYPE,
          "\"%s\" is not %s %s".formatted(name.name(), article, kind.toLowerCase(Locale.ROOT)));
    }
    int holder = found != null ? found.oid() : sequence != null ? sequence.oid() : indexed.oid();
    ddl.requireOwner(holder, kind.toLowerCase(Locale.ROOT), name.name());
    ddl.transaction().lockTable(holder, TableLockMode.SHARE);
    int oid = kind.equals("INDEX") ? index(indexed.oid(), name.name()) : holder;
    set(holder, SystemOids.PG_CLASS, oid, 0, text);
  }

  /** Oid of an index of a locked table. */
  private int index(int tableOid, String name) {
    TableDef table = ddl.view().table(tableOid);
    if (table != null && name.equals(table.primaryKeyName())) {
      return SystemOids.primaryKeyIndex(tableOid);
    }
    IndexDef index = table == null ? null : IndexDefiner.find(table.indexes(), name);
    if (index == null) {
      throw DdlContext.noRelation(new Name(null, name, 0));
    }
    return index.oid();
  }

  private void column(List<String> path, String text) {
    if (path.size() < 2) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "column name must be qualified");
    }
    Name name = ddl.own(name(path.subList(0, path.size() - 1)));
    String column = path.getLast();
    ddl.requireSchemaUsage(name);
    CatalogObject found = ddl.view().relation(ddl.searchPath(), name.schema(), name.name());
    if (found == null) {
      if (ddl.isRelation(name)) {
        throw new GaussException(
            SqlState.WRONG_OBJECT_TYPE,
            "cannot set comment on relation \"%s\"".formatted(name.name()));
      }
      throw DdlContext.noRelation(name);
    }
    ddl.requireOwner(found.oid(), "relation", name.name());
    ddl.transaction().lockTable(found.oid(), TableLockMode.SHARE);
    CatalogObject now = ddl.view().object(found.oid());
    TableDef table = now instanceof ViewDef view ? view.asTable() : (TableDef) now;
    if (table == null) {
      throw DdlContext.noRelation(name);
    }
    int position = table.columnIndex(column);
    if (position < 0) {
      String written = String.join(".", path.subList(0, path.size() - 1));
      throw ColumnAlterer.missing(column, written);
    }
    int number = table.columns().get(position).number();
    set(table.oid(), SystemOids.PG_CLASS, table.oid(), number, text);
  }

  private void constraint(String name, Name tableName, String text) {
    TableDef table = ddl.table(tableName, TableLockMode.SHARE);
    set(table.oid(), SystemOids.PG_CONSTRAINT, constraint(table, name), 0, text);
  }

  private static int constraint(TableDef table, String name) {
    if (name.equals(table.primaryKeyName())) {
      return SystemOids.primaryKeyConstraint(table.oid());
    }
    for (IndexDef index : table.indexes()) {
      if (index.constraint() && index.name().equals(name)) {
        return SystemOids.uniqueConstraint(index.oid());
      }
    }
    for (CheckDef check : table.checks()) {
      if (check.name().equals(name)) {
        return check.oid();
      }
    }
    for (ForeignKeyDef key : table.foreignKeys()) {
      if (key.name().equals(name)) {
        return key.oid();
      }
    }
    throw new GaussException(
        SqlState.UNDEFINED_OBJECT,
        "constraint \"%s\" for table \"%s\" does not exist".formatted(name, table.name()));
  }

  // ---------------------------------------------------------------- types

  private void type(TypeDef type, String text) {
    set(type.oid(), SystemOids.PG_TYPE, type.oid(), 0, text);
  }

  private DomainDef domain(Name name) {
    return new TypeNaming(ddl).findDomain(name, TableLockMode.ACCESS_SHARE, true);
  }

  private void domainConstraint(String name, Name domainName, String text) {
    DomainDef domain = domain(domainName);
    DomainType.Check check = DomainDefiner.find(domain, name);
    if (check == null) {
      throw DomainDefiner.noConstraint(domain, name);
    }
    set(domain.oid(), SystemOids.PG_CONSTRAINT, check.oid(), 0, text);
  }

  // ---------------------------------------------------------------- others

  private void role(String name, String text) {
    RoleDef role = ddl.view().role(name);
    if (role == null) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT, "role \"%s\" does not exist".formatted(name));
    }
    RoleDef me = ddl.view().role(ddl.session.identity().current());
    if (role.superuser() && !me.superuser()) {
      throw RoleNames.denied("must be superuser");
    }
    if (!me.superuser() && !me.createRole()) {
      throw RoleNames.denied("must have CREATEROLE privilege");
    }
    set(role.oid(), SystemOids.PG_AUTHID, role.oid(), 0, text);
  }

  private void database(String name, String text) {
    if (!name.equals(DdlContext.DATABASE)) {
      throw new GaussException(
          SqlState.INVALID_CATALOG_NAME, "database \"%s\" does not exist".formatted(name));
    }
    if (!ddl.session.access().isSuperuser(ddl.session.identity().current())) {
      throw Access.denied("database", name);
    }
    set(SystemOids.DATABASE, SystemOids.PG_DATABASE, SystemOids.DATABASE, 0, text);
  }
}
