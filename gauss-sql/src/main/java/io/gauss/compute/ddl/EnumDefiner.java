package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.EnumDef;
import io.gauss.compute.catalog.TypeDef;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.TypeStatement.AddValue;
import io.gauss.compute.sql.parse.TypeStatement.CreateEnum;
import io.gauss.compute.sql.parse.TypeStatement.MoveType;
import io.gauss.compute.sql.parse.TypeStatement.RenameType;
import io.gauss.compute.sql.parse.TypeStatement.RenameValue;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.EnumLabels;
import io.gauss.compute.type.EnumLabels.Label;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * CREATE TYPE ... AS ENUM and ALTER TYPE of it. Values of enums keep their codes ({@link
 * EnumLabels}), so no statement here touches rows.
 */
final class EnumDefiner {
  private final DdlContext ddl;
  private final TypeNaming naming;

  EnumDefiner(DdlContext ddl) {
    this.ddl = ddl;
    this.naming = new TypeNaming(ddl);
  }

  void create(CreateEnum create) {
    Name name = create.name();
    if (TemporarySchemas.ALIAS.equals(name.schema())) {
      throw GaussException.notSupported("a temporary type").position(name.position());
    }
    String schema = ddl.creationSchema(name);
    naming.lockFree(schema, name.name());
    int arrayOid = ddl.newOid(); // the lower one, as in PostgreSQL
    int oid = ddl.newOid();
    Set<String> known = new HashSet<>();
    List<Integer> oids = new ArrayList<>();
    for (String label : create.labels()) {
      checkLabel(label);
      if (!known.add(label)) {
        throw new GaussException(
                SqlState.UNIQUE_VIOLATION,
                "duplicate key value violates unique constraint \"pg_enum_typid_label_index\"")
            .detail("Key (enumtypid, enumlabel)=(%d, %s) already exists.".formatted(oid, label));
      }
      oids.add(ddl.newOid());
    }
    ddl.session.put(
        new EnumDef(
            oid,
            arrayOid,
            schema,
            name.name(),
            naming.arrayName(schema, name.name()),
            EnumLabels.first(create.labels(), oids)));
  }

  private static void checkLabel(String label) {
    if (label.getBytes(StandardCharsets.UTF_8).length > EnumLabels.LABEL_BYTES) {
      throw new GaussException(SqlState.INVALID_NAME, "invalid enum label \"%s\"".formatted(label))
          .detail("Labels must be %d bytes or less.".formatted(EnumLabels.LABEL_BYTES));
    }
  }

  void addValue(AddValue add) {
    EnumDef type = naming.findEnum(add.name(), TableLockMode.ACCESS_SHARE);
    checkLabel(add.label());
    if (type.type().labels().find(add.label()) != null) {
      if (!add.ifNotExists()) {
        throw labelExists(add.label());
      }
      ddl.notice("enum label \"%s\" already exists, skipping".formatted(add.label()));
      return;
    }
    int index = type.labels().size();
    if (add.neighbour() != null) {
      index = type.labels().indexOf(label(type, add.neighbour())) + (add.after() ? 1 : 0);
    }
    int oid = ddl.newOid();
    ddl.session.addsLabel(oid);
    ddl.session.put(type.withLabels(EnumLabels.with(type.labels(), index, add.label(), oid)));
  }

  void renameValue(RenameValue rename) {
    EnumDef seen = naming.seenEnum(rename.name());
    checkLabel(rename.newLabel());
    Label seenLabel = seen.type().labels().find(rename.label());
    if (seenLabel != null) {
      // Tables before the type, in the order of those who change tables: or each would wait for
      // the other.
      new StoredLiterals(ddl, seen.type(), renamed(seen, seenLabel, rename).type()).lock();
    }
    // Exclusively: what others define with the type must not miss its new label.
    EnumDef type = naming.findEnum(rename.name(), TableLockMode.ACCESS_EXCLUSIVE);
    Label before = label(type, rename.label());
    if (type.type().labels().find(rename.newLabel()) != null) {
      throw labelExists(rename.newLabel());
    }
    EnumDef after = renamed(type, before, rename);
    new StoredLiterals(ddl, type.type(), after.type()).rename();
    ddl.session.put(after);
  }

  private static EnumDef renamed(EnumDef type, Label label, RenameValue rename) {
    List<Label> labels = new ArrayList<>(type.labels());
    labels.set(labels.indexOf(label), label.withName(rename.newLabel()));
    return type.withLabels(labels);
  }

  private static Label label(EnumDef type, String name) {
    Label found = type.type().labels().find(name);
    if (found == null) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE, "\"%s\" is not an existing enum label".formatted(name));
    }
    return found;
  }

  private static GaussException labelExists(String label) {
    return new GaussException(
        SqlState.DUPLICATE_OBJECT, "enum label \"%s\" already exists".formatted(label));
  }

  void rename(RenameType rename) {
    TypeDef type = naming.find(rename.name(), TableLockMode.ACCESS_SHARE);
    new TypeMover(ddl).rename(type, rename.newName());
  }

  void move(MoveType move) {
    TypeMover mover = new TypeMover(ddl);
    mover.checkSchema(move.name(), move.newSchema());
    mover.move(naming.find(move.name(), TableLockMode.ACCESS_SHARE), move.newSchema());
  }
}
