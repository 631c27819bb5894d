package io.gauss.compute.catalog;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.EnumLabels;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Catalog objects at one version, with the look-ups that binding needs. Immutable. */
public final class CatalogSnapshot implements CatalogView {
  private final long version;
  private final long committedAt;
  private final Map<Integer, CatalogObject> objects;
  private final Map<String, TableDef> tablesByName = new HashMap<>();
  private final Map<Integer, TableDef> tables = new HashMap<>();
  private final Map<String, SequenceDef> sequencesByName = new HashMap<>();
  private final Map<Integer, SequenceDef> sequences = new HashMap<>();
  private final Map<String, SchemaDef> schemas = new HashMap<>();
  private final Map<String, RoleDef> roles = new HashMap<>();
  private final Map<String, ViewDef> viewsByName = new HashMap<>();
  private final Map<Integer, ViewDef> views = new HashMap<>();
  private final Map<Integer, EnumDef> enums = new HashMap<>();
  private final Map<Integer, DomainDef> domains = new HashMap<>();

  /** Types that CREATE TYPE and CREATE DOMAIN have made, and arrays of them. */
  private final Map<Integer, PgType> types = new HashMap<>();

  private final Map<String, PgType> typesByName = new HashMap<>();

  /** Index name to the table that it is on. */
  private final Map<String, TableDef> indexesByName = new HashMap<>();

  /**
   * @param committedAt see {@link #committedAt()}
   */
  CatalogSnapshot(long version, long committedAt, Map<Integer, CatalogObject> objects) {
    this.version = version;
    this.committedAt = committedAt;
    // Not Map.copyOf, whose order differs from one JVM to the next.
    Map<Integer, CatalogObject> kept = new HashMap<>(objects);
    this.objects = Collections.unmodifiableMap(kept);
    Map<Integer, List<ForeignKeyDef>> referencedBy = new HashMap<>();
    for (CatalogObject object : this.objects.values()) {
      switch (object) {
        case TableDef table ->
            table
                .foreignKeys()
                .forEach(
                    key ->
                        referencedBy
                            .computeIfAbsent(key.referencedTableOid(), k -> new ArrayList<>())
                            .add(key));
        case SequenceDef sequence -> {
          sequences.put(sequence.oid(), sequence);
          sequencesByName.put(qualified(sequence.schema(), sequence.name()), sequence);
        }
        case SchemaDef schema -> schemas.put(schema.name(), schema);
        case RoleDef role -> roles.put(role.name(), role);
        case AccessDef access -> {
          // Looked up by its oid, which is derived from its object's oid.
        }
        case CommentDef comment -> {
          // As before.
        }
        case EnumDef made -> {
          enums.put(made.oid(), made);
          putType(made.schema(), made.type());
          putType(made.schema(), made.type().array());
        }
        case DomainDef made -> domains.put(made.oid(), made);
        case ViewDef view -> {
          // Put below: its columns may have types that are among these objects.
        }
      }
    }
    putDomains(kept);
    for (CatalogObject object : this.objects.values()) {
      if (object instanceof ViewDef stored) {
        ViewDef view = stored.withTypes(types);
        views.put(view.oid(), view);
        viewsByName.put(qualified(view.schema(), view.name()), view);
      } else if (object instanceof TableDef stored) {
        List<ForeignKeyDef> incoming = referencedBy.getOrDefault(stored.oid(), List.of());
        incoming =
            incoming.stream()
                .sorted(java.util.Comparator.comparingInt(ForeignKeyDef::oid))
                .toList();
        TableDef table = stored.withTypes(types).withReferencedBy(incoming);
        tables.put(table.oid(), table);
        tablesByName.put(qualified(table.schema(), table.name()), table);
        if (table.primaryKeyName() != null) {
          indexesByName.put(qualified(table.schema(), table.primaryKeyName()), table);
        }
        table
            .indexes()
            .forEach(index -> indexesByName.put(qualified(table.schema(), index.name()), table));
      }
    }
  }

  /** Domains with the current versions of what they are made over, which comes first. */
  private void putDomains(Map<Integer, CatalogObject> kept) {
    List<DomainDef> waiting = new ArrayList<>(domains.values());
    while (!waiting.isEmpty()) {
      List<DomainDef> next = new ArrayList<>();
      for (DomainDef stored : waiting) {
        DomainDef made = stored.withBase(types);
        if (made == null) {
          next.add(stored);
          continue;
        }
        domains.put(made.oid(), made);
        kept.put(made.oid(), made);
        putType(made.schema(), made.type());
        PgType array = made.type().array();
        if (array != null) {
          putType(made.schema(), array);
        }
      }
      if (next.size() == waiting.size()) {
        throw new GaussException(
            SqlState.DATA_CORRUPTED,
            "domain \"%s\" is made over a type that does not exist"
                .formatted(next.getFirst().name()));
      }
      waiting = next;
    }
  }

  private void putType(String schema, PgType type) {
    types.put(type.declaredOid(), type);
    typesByName.put(qualified(schema, type.name()), type);
  }

  private static String qualified(String schema, String name) {
    return schema + "\0" + name;
  }

  /**
   * A snapshot with some objects replaced, added, or (null) removed by a transaction that runs.
   *
   * @param addedLabels oids of labels of enums that it has added
   */
  public CatalogSnapshot with(
      long newVersion, Map<Integer, CatalogObject> changes, Set<Integer> addedLabels) {
    if (addedLabels.isEmpty()) {
      return with(newVersion, committedAt, changes);
    }
    Map<Integer, CatalogObject> seen = new HashMap<>(changes);
    seen.replaceAll(
        (oid, object) ->
            object instanceof EnumDef changed ? changed.withUncommitted(addedLabels) : object);
    return with(newVersion, committedAt, seen);
  }

  /** The same by one that has committed. */
  CatalogSnapshot with(long newVersion, long csn, Map<Integer, CatalogObject> changes) {
    Map<Integer, CatalogObject> changed = new HashMap<>(objects);
    changes.forEach(
        (oid, object) -> {
          if (object == null) {
            changed.remove(oid);
          } else {
            changed.put(oid, object);
          }
        });
    return new CatalogSnapshot(newVersion, csn, changed);
  }

  /** Tells types of the snapshot before which they have become. */
  void succeeds(CatalogSnapshot before) {
    for (EnumDef old : before.enums.values()) {
      EnumDef now = enums.get(old.oid());
      if (now != null && now != old) {
        old.type().labels().replacedBy(now.type().labels());
      }
    }
  }

  int highestOid() {
    int highest = 0;
    for (CatalogObject object : objects.values()) {
      if (object instanceof AccessDef || object instanceof CommentDef) {
        continue;
      }
      highest = Math.max(highest, object.oid());
      if (object instanceof DomainDef made) {
        highest = Math.max(highest, made.arrayOid());
        for (DomainType.Check check : made.domain().checks()) {
          highest = Math.max(highest, check.oid());
        }
      }
      if (object instanceof EnumDef made) {
        highest = Math.max(highest, made.arrayOid());
        for (EnumLabels.Label label : made.labels()) {
          highest = Math.max(highest, label.oid());
        }
      }
      if (object instanceof TableDef table) {
        for (TableDef.IndexDef index : table.indexes()) {
          highest = Math.max(highest, index.oid());
        }
        for (TableDef.CheckDef check : table.checks()) {
          highest = Math.max(highest, check.oid());
        }
        for (ForeignKeyDef key : table.foreignKeys()) {
          highest = Math.max(highest, key.oid());
        }
      }
    }
    return highest;
  }

  @Override
  public long version() {
    return version;
  }

  /**
   * CSN of this node's last commit in it, which is published before it is visible: an answer that
   * depends on a definition, a role or a privilege waits for it (rule 38). 0 = none since the
   * start.
   */
  public long committedAt() {
    return committedAt;
  }

  @Override
  public TableDef table(List<String> searchPath, String schema, String name) {
    if (schema != null) {
      return tableIn(schema, name);
    }
    // pg_catalog comes first unless the path names it, and all names in it begin with pg_.
    if (name.startsWith("pg_") && !searchPath.contains("pg_catalog")) {
      TableDef system = SystemTables.find("pg_catalog", name);
      if (system != null) {
        return system;
      }
    }
    for (String candidate : searchPath) {
      TableDef found = tableIn(candidate, name);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private TableDef tableIn(String schema, String name) {
    TableDef found = tablesByName.get(qualified(schema, name));
    return found != null ? found : SystemTables.find(schema, name);
  }

  @Override
  public TableDef table(int oid) {
    TableDef found = tables.get(oid);
    return found != null ? found : SystemTables.find(oid);
  }

  @Override
  public SequenceDef sequence(List<String> searchPath, String schema, String name) {
    if (schema != null) {
      return sequencesByName.get(qualified(schema, name));
    }
    for (String candidate : searchPath) {
      SequenceDef found = sequencesByName.get(qualified(candidate, name));
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  @Override
  public SequenceDef sequence(int oid) {
    return sequences.get(oid);
  }

  /**
   * The table that an index (also one of a primary key) is on; null when there is no such index.
   */
  public TableDef tableOfIndex(List<String> searchPath, String schema, String name) {
    if (schema != null) {
      return indexesByName.get(qualified(schema, name));
    }
    for (String candidate : searchPath) {
      TableDef found = indexesByName.get(qualified(candidate, name));
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** The table that an index is on, by the index's oid; null when there is no such index. */
  public TableDef tableOfIndex(int oid) {
    if (SystemOids.isPrimaryKeyIndex(oid)) {
      TableDef table = tables.get(SystemOids.plain(oid));
      return table == null || table.hasRowId() ? null : table;
    }
    for (TableDef table : tables.values()) {
      for (TableDef.IndexDef index : table.indexes()) {
        if (index.oid() == oid) {
          return table;
        }
      }
    }
    return null;
  }

  /**
   * Whether a table, index or sequence of this name is in the schema: they share one name space.
   */
  public boolean relationExists(String schema, String name) {
    String key = qualified(schema, name);
    return tablesByName.containsKey(key)
        || viewsByName.containsKey(key)
        || indexesByName.containsKey(key)
        || sequencesByName.containsKey(key);
  }

  @Override
  public CatalogObject relation(List<String> searchPath, String schema, String name) {
    if (viewsByName.isEmpty()) {
      return table(searchPath, schema, name);
    }
    if (schema != null) {
      ViewDef view = viewsByName.get(qualified(schema, name));
      return view != null ? view : tableIn(schema, name);
    }
    TableDef system = table(List.of(), null, name);
    if (system != null && !searchPath.contains("pg_catalog")) {
      return system;
    }
    for (String candidate : searchPath) {
      CatalogObject found = relation(searchPath, candidate, name);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  @Override
  public ViewDef view(List<String> searchPath, String schema, String name) {
    return !viewsByName.isEmpty() && relation(searchPath, schema, name) instanceof ViewDef view
        ? view
        : null;
  }

  @Override
  public ViewDef view(int oid) {
    return views.get(oid);
  }

  @Override
  public Collection<ViewDef> views() {
    return views.values();
  }

  /** A table (including system tables) or a view; null when there is none. */
  @Override
  public CatalogObject object(int oid) {
    ViewDef view = views.get(oid);
    return view != null ? view : table(oid);
  }

  @Override
  public PgType type(List<String> searchPath, String schema, String name) {
    if (typesByName.isEmpty()) {
      return null;
    }
    if (schema != null) {
      return typesByName.get(qualified(schema, name));
    }
    for (String candidate : searchPath) {
      PgType found = typesByName.get(qualified(candidate, name));
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  @Override
  public PgType type(int oid) {
    return types.get(oid);
  }

  @Override
  public boolean hasTypes() {
    return !types.isEmpty();
  }

  public Collection<EnumDef> enums() {
    return enums.values();
  }

  /** Null when there is none. */
  public DomainDef domain(int oid) {
    return domains.get(oid);
  }

  public Collection<DomainDef> domains() {
    return domains.values();
  }

  /** A type that CREATE TYPE or CREATE DOMAIN has made; null when there is none. */
  public TypeDef typeDef(int oid) {
    EnumDef made = enums.get(oid);
    return made != null ? made : domains.get(oid);
  }

  /** All types that CREATE TYPE and CREATE DOMAIN have made. */
  public List<TypeDef> typeDefs() {
    List<TypeDef> all = new ArrayList<>(enums.values());
    all.addAll(domains.values());
    return all;
  }

  @Override
  public Collection<TableDef> tables() {
    return tables.values();
  }

  @Override
  public Collection<SequenceDef> sequences() {
    return sequences.values();
  }

  public Collection<SchemaDef> schemas() {
    return schemas.values();
  }

  @Override
  public SchemaDef schema(String name) {
    return schemas.get(name);
  }

  @Override
  public boolean schemaExists(String schema) {
    return schemas.containsKey(schema);
  }

  /** Whether there is an object of this oid. */
  public boolean contains(int oid) {
    return objects.containsKey(oid);
  }

  public Collection<RoleDef> roles() {
    return roles.values();
  }

  @Override
  public RoleDef role(int oid) {
    return objects.get(oid) instanceof RoleDef role ? role : null;
  }

  @Override
  public RoleDef role(String name) {
    return roles.get(name);
  }

  @Override
  public AccessDef access(int objectOid) {
    return objects.get(SystemOids.access(objectOid)) instanceof AccessDef access ? access : null;
  }

  /** Comments on an object and its parts; null when there are none. */
  public CommentDef comments(int objectOid) {
    return objects.get(SystemOids.comment(objectOid)) instanceof CommentDef comments
        ? comments
        : null;
  }

  /** All comments. */
  public List<CommentDef.Comment> comments() {
    List<CommentDef.Comment> found = new ArrayList<>();
    for (CatalogObject object : objects.values()) {
      if (object instanceof CommentDef comments) {
        found.addAll(comments.comments());
      }
    }
    return found;
  }

  /** Owners and privileges of all objects where they differ from the initial ones. */
  public List<AccessDef> accesses() {
    List<AccessDef> found = new ArrayList<>();
    for (CatalogObject object : objects.values()) {
      if (object instanceof AccessDef access) {
        found.add(access);
      }
    }
    return found;
  }
}
