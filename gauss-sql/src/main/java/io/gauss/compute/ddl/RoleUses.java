package io.gauss.compute.ddl;

import io.gauss.compute.catalog.AccessDef;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TypeDef;
import io.gauss.compute.catalog.ViewDef;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds the objects that prevent a role from being dropped. */
final class RoleUses {
  private static final int LINES_MAX = 100;

  private RoleUses() {}

  /** One line for each object that the role owns or has privileges on; null for none. */
  static String describe(CatalogSnapshot view, List<String> searchPath, int roleOid) {
    List<AccessDef> all = new ArrayList<>(view.accesses());
    all.sort(Comparator.comparingInt(AccessDef::oid));
    List<String> lines = new ArrayList<>();
    for (AccessDef access : all) {
      if (access.ownerOid() == roleOid) {
        lines.add("owner of " + object(view, searchPath, access.objectOid()));
      } else if (access.grants() != null
          && access.grants().stream()
              .anyMatch(g -> g.granteeOid() == roleOid || g.grantorOid() == roleOid)) {
        lines.add("privileges for " + object(view, searchPath, access.objectOid()));
      }
    }
    if (lines.isEmpty()) {
      return null;
    }
    int more = lines.size() - LINES_MAX;
    return more <= 0
        ? String.join("\n", lines)
        : String.join("\n", lines.subList(0, LINES_MAX))
            + "\nand %d other objects (see pg_class for list)".formatted(more);
  }

  private static String qualified(List<String> searchPath, String schema, String name) {
    return searchPath.contains(schema) ? name : schema + "." + name;
  }

  private static String object(CatalogSnapshot view, List<String> searchPath, int oid) {
    TableDef table = view.table(oid);
    if (table != null) {
      return "table " + qualified(searchPath, table.schema(), table.name());
    }
    ViewDef made = view.view(oid);
    if (made != null) {
      return "view " + qualified(searchPath, made.schema(), made.name());
    }
    SequenceDef sequence = view.sequence(oid);
    if (sequence != null) {
      return "sequence " + qualified(searchPath, sequence.schema(), sequence.name());
    }
    TypeDef type = view.typeDef(oid);
    if (type != null) {
      return "type " + qualified(searchPath, type.schema(), type.name());
    }
    for (SchemaDef schema : view.schemas()) {
      if (schema.oid() == oid) {
        return "schema " + schema.name();
      }
    }
    return "object " + oid;
  }
}
