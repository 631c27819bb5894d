package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.RoleIdentity;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.catalog.statistics.ModificationCounters;
import io.gauss.compute.ddl.DdlExecutor;
import io.gauss.compute.ddl.DdlSession;
import io.gauss.compute.ddl.TemporarySchemas;
import io.gauss.compute.expr.SequenceAccess;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.sql.exec.table.TableAccess;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.plan.PreparedPlan;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.type.NameList;
import io.gauss.compute.type.ObjectNames;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import io.gauss.compute.type.Quoting;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A session's side of the catalog: its view, table handles, table locks, DDL, and values of
 * sequences. Belongs to the session.
 */
final class SessionCatalog implements TableAccess, SequenceAccess, TransactionControl.DdlScope {
  private static final int NEXT = Privilege.USAGE.bit() | Privilege.UPDATE.bit();
  private static final int CURRENT = Privilege.USAGE.bit() | Privilege.SELECT.bit();
  private static final int SET = Privilege.UPDATE.bit();

  private final SessionServices services;
  private final SessionState state;
  private final DdlSession ddl;
  private final TemporaryTables temporary;
  private final Map<Integer, Long> currentValues = new HashMap<>(0);

  /** Tables that the transaction has analyzed, with their counts before that. */
  private final Map<Integer, ModificationCounters.Mark> analyzed = new HashMap<>(0);

  private Integer lastSequence;

  /** Incremented with every change of the two. */
  private long sequenceVersion;

  private CatalogSnapshot snapshotView;

  /** Whether a statement runs that is not the client's. */
  private boolean isOwnWork;

  SessionCatalog(SessionServices services, SessionState state) {
    this.services = services;
    this.state = state;
    this.ddl =
        new DdlSession(
            services.ddl(),
            services.tableHandles(),
            state.transaction(),
            () -> isOwnWork ? RoleIdentity.SYSTEM : state.roles().identity(),
            state::temporarySchema);
    this.temporary = new TemporaryTables(ddl, state);
  }

  CatalogSnapshot view() {
    return ddl.view();
  }

  /**
   * Loads other nodes' changes of the catalog, if there are any.
   *
   * @throws io.gauss.compute.wait.WouldBlockException when there are and waiting is not allowed
   */
  void freshen() {
    services.catalog().freshen(state.context());
  }

  /** Whether other nodes have changed something in the catalog. */
  boolean isStale() {
    return services.catalog().isStale();
  }

  /**
   * As {@link #freshen}, on a node that may have lost contact with others: waits until contact is
   * restored.
   */
  void freshenSurely() {
    state.transaction().awaitSnapshotGate();
    freshen();
  }

  @Override
  public TableHandle open(int tableOid) {
    return ddl.open(tableOid);
  }

  @Override
  public SystemState system() {
    return new SessionSystemState(services, state);
  }

  /**
   * Locks the tables of a plan until the transaction ends.
   *
   * @return false when a definition changed before the lock was taken: plan again
   */
  boolean lockTables(PreparedPlan plan) {
    for (PreparedPlan.TableUse use : plan.tables()) {
      state.transaction().lockTable(use.tableOid(), use.mode());
    }
    temporary.noteUse(plan);
    // A holder of an exclusive lock releases it only after this node was informed of the changes.
    freshen();
    boolean isCurrent = plan.catalogVersion() == view().version();
    checkAnswerable();
    return isCurrent;
  }

  /**
   * A statement whose answer has to wait for the log fails at once while the log answers nothing:
   * so the session can go on.
   *
   * @throws GaussException why writers are refused now
   */
  private void checkAnswerable() {
    if (state.context().dependency() > services.log().visibleLsn()) {
      services.log().checkWritable();
    }
  }

  /** Counts written rows; enough of them trigger ANALYZE. */
  void countModifications(PreparedPlan plan, long rows) {
    int table = plan.target();
    if (table == 0) {
      return;
    }
    switch (plan.kind()) {
      case "INSERT", "COPY FROM" -> services.modifications().changed(table, rows, 0, 0);
      case "UPDATE" -> services.modifications().changed(table, 0, rows, 0);
      case "DELETE" -> services.modifications().changed(table, 0, 0, rows);
      default -> {
        // A SELECT writes only to tables in its WITH.
      }
    }
  }

  /**
   * Remembers the schema of a REPEATABLE READ snapshot. An index made later lacks rows that this
   * snapshot still sees, and so does a tree into which a table was rewritten or truncated, so
   * {@link #checkSnapshot} refuses to read through them.
   */
  void snapshotTaken() {
    snapshotView =
        state.transaction().isolation() == Transaction.IsolationLevel.REPEATABLE_READ
            ? services.catalog().current()
            : null;
  }

  /**
   * @throws GaussException 40001 when a table of the plan has got a new index or another tree since
   *     the snapshot was taken
   */
  void checkSnapshot(PreparedPlan plan) {
    if (snapshotView == null || snapshotView == services.catalog().current()) {
      return;
    }
    for (PreparedPlan.TableUse use : plan.tables()) {
      TableDef before = snapshotView.table(use.tableOid());
      TableDef now = services.catalog().current().table(use.tableOid());
      if (before == null || now == null || before == now) {
        continue;
      }
      if (before.space() != now.space()) {
        throw new GaussException(
            SqlState.SERIALIZATION_FAILURE,
            "could not serialize access due to concurrent rewrite of table \"%s\""
                .formatted(now.name()));
      }
      for (TableDef.IndexDef index : now.indexes()) {
        // One that has been filled anew has entries that the snapshot does not see.
        if (before.indexes().stream()
            .noneMatch(old -> old.oid() == index.oid() && old.space() == index.space())) {
          throw new GaussException(
              SqlState.SERIALIZATION_FAILURE,
              "could not serialize access due to concurrent creation of index \"%s\""
                  .formatted(index.name()));
        }
      }
    }
  }

  /** Whether this transaction has made the table, or emptied it by TRUNCATE. */
  boolean isOwnMaking(int tableOid) {
    TableDef before = services.catalog().current().table(tableOid);
    return before == null || before.space() != view().table(tableOid).space();
  }

  /** Runs a DDL statement and returns its command tag. */
  String execute(PgStatement statement, ResponseWriter out) {
    switch (statement) {
      case PgStatement.Analyze analyze -> markAnalyzed(analyze.targets());
      case PgStatement.Vacuum vacuum when vacuum.has("analyze") || vacuum.has("analyse") ->
          markAnalyzed(vacuum.targets());
      default -> {
        // Analyzes nothing.
      }
    }
    return new DdlExecutor(ddl, state.exec())
        .execute(
            statement,
            state.searchPath(),
            notice -> tell(notice, out),
            info -> out.notice("INFO", new GaussException(SqlState.SUCCESSFUL_COMPLETION, info)));
  }

  /**
   * Runs a DDL statement about the session's temporary relations without notifying the client,
   * whichever role they belong to.
   */
  void executeQuietly(PgStatement statement) {
    isOwnWork = true;
    try {
      new DdlExecutor(ddl, state.exec())
          .execute(statement, state.searchPath(), notice -> {}, info -> {});
    } finally {
      isOwnWork = false;
    }
  }

  private static void tell(GaussException notice, ResponseWriter out) {
    out.notice(notice.state() == SqlState.SUCCESSFUL_COMPLETION ? "NOTICE" : "WARNING", notice);
  }

  /**
   * Makes the table of a CREATE TABLE AS.
   *
   * @return null when there is a relation of this name and this is not an error
   */
  TableDef createAs(
      PgStatement.CreateTableAs statement, List<TableDef.ColumnDef> columns, ResponseWriter out) {
    return new DdlExecutor(ddl, state.exec())
        .createAs(statement, columns, state.searchPath(), notice -> tell(notice, out));
  }

  private void markAnalyzed(List<PgStatement.AnalyzeTarget> targets) {
    for (TableDef table : view().tables()) {
      if (targets.isEmpty() || targets.stream().anyMatch(t -> table == find(t.table()))) {
        analyzed.put(table.oid(), services.modifications().mark(table.oid()));
      }
    }
  }

  private TableDef find(PgStatement.Name name) {
    return view().table(state.searchPath(), name.schema(), name.name());
  }

  // ---------------------------------------------------------------- transaction

  @Override
  public long position() {
    return ddl.position();
  }

  @Override
  public void rolledBackTo(long position) {
    ddl.rolledBackTo(position);
  }

  @Override
  public void rolledBack() {
    analyzed.clear();
    temporary.ended();
    ddl.rolledBack();
  }

  /** Empties and drops temporary tables whose rows or definitions end with the transaction. */
  void beforeCommit() {
    temporary.beforeCommit();
  }

  /** Notes that the transaction has written a table without a plan. */
  void noteWritten(int tableOid) {
    temporary.noteWritten(tableOid);
  }

  /** Whether the commit's work on temporary tables may wait. */
  boolean mayWaitAtCommit() {
    return temporary.mayWaitAtCommit();
  }

  /** Whether the session has a schema of temporary relations. */
  boolean hasTemporary() {
    String schema = state.temporarySchemaOrNull();
    return schema != null && view().schemaExists(schema);
  }

  /** Drops the session's temporary relations, in a separate transaction. */
  void dropTemporary() {
    String schema = state.temporarySchemaOrNull();
    if (schema != null && services.catalog().current().schemaExists(schema)) {
      TemporarySchemas.drop(services.ddl(), services.tableHandles(), state.transaction(), schema);
    }
  }

  @Override
  public long commit() {
    return ddl.commit(
        () -> {
          analyzed.forEach(services.modifications()::analyzed);
          analyzed.clear();
          temporary.ended();
        });
  }

  // ---------------------------------------------------------------- names

  private record QualifiedName(String schema, String name) {
    /** Reads {@code [[database.]schema.]name}. */
    static QualifiedName parse(String text) {
      List<String> names = NameList.split(text);
      if (names.size() > 3) {
        throw new GaussException(
            SqlState.SYNTAX_ERROR,
            "improper relation name (too many dotted names): " + String.join(".", names));
      }
      if (names.size() == 3 && !names.getFirst().equals(SessionFactory.DATABASE)) {
        throw new GaussException(
            SqlState.FEATURE_NOT_SUPPORTED,
            "cross-database references are not implemented: \"%s\""
                .formatted(String.join(".", names)));
      }
      return new QualifiedName(
          names.size() == 1 ? null : names.get(names.size() - 2), names.getLast());
    }
  }

  /**
   * Oid of a table, view, index or sequence; 0 when there is none, or no such schema.
   *
   * @throws GaussException 42602 and others when the text is no name, 42501 when the role may not
   *     use the schema that is written
   */
  int relationOid(String text) {
    QualifiedName name = QualifiedName.parse(text);
    CatalogSnapshot view = view();
    if (name.schema() != null) {
      if (!view.schemaExists(name.schema()) && !name.schema().equals(TemporarySchemas.ALIAS)) {
        return 0;
      }
      new Access(view)
          .requireSchema(state.roles().identity().current(), name.schema(), Privilege.USAGE);
    }
    if (TemporarySchemas.ALIAS.equals(name.schema())) {
      String own = state.temporarySchemaOrNull();
      return own == null ? 0 : relationOid(view, own, name.name());
    }
    for (String schema : name.schema() == null ? state.searchPath() : List.of(name.schema())) {
      int oid = relationOid(view, schema, name.name());
      if (oid != 0) {
        return oid;
      }
    }
    return 0;
  }

  /** Tables, views, sequences and indexes of a schema share one name space. */
  private static int relationOid(CatalogSnapshot view, String schema, String name) {
    CatalogObject found = view.relation(List.of(), schema, name);
    if (found == null) {
      found = view.sequence(List.of(), schema, name);
    }
    if (found != null) {
      return found.oid();
    }
    TableDef indexed = view.tableOfIndex(List.of(), schema, name);
    if (indexed == null) {
      return 0;
    }
    if (name.equals(indexed.primaryKeyName())) {
      return SystemOids.primaryKeyIndex(indexed.oid());
    }
    return indexed.indexes().stream()
        .filter(index -> index.name().equals(name))
        .mapToInt(TableDef.IndexDef::oid)
        .findFirst()
        .orElse(0);
  }

  /**
   * Name of the sequence of a serial or identity column, as {@link #relationOid} reads it; null
   * when the column has none.
   *
   * @throws GaussException 42P01 and others when there is no such table, 42703 no such column
   */
  String serialSequence(String tableName, String columnName) {
    int oid = ObjectNames.RELATIONS.require(tableName, state.eval());
    TableDef table = view().table(oid);
    int column = table == null ? -1 : table.columnIndex(columnName);
    if (column < 0) {
      throw new GaussException(
          SqlState.UNDEFINED_COLUMN,
          "column \"%s\" of relation \"%s\" does not exist"
              .formatted(columnName, NameList.split(tableName).getLast()));
    }
    return view().sequences().stream()
        .filter(each -> each.ownerTableOid() == oid && each.ownerColumn() == column)
        .min(Comparator.comparingInt(SequenceDef::oid))
        .map(each -> Quoting.identifier(each.schema()) + "." + Quoting.identifier(each.name()))
        .orElse(null);
  }

  /** Whether a relation is found by its unqualified name. */
  boolean isVisible(int oid) {
    CatalogSnapshot view = view();
    TableDef table = view.table(oid);
    if (table != null) {
      return isVisible(view, table.schema(), table.name());
    }
    ViewDef made = view.view(oid);
    if (made != null) {
      return isVisible(view, made.schema(), made.name());
    }
    SequenceDef sequence = view.sequence(oid);
    if (sequence != null) {
      return isVisible(view, sequence.schema(), sequence.name());
    }
    TableDef indexed = view.tableOfIndex(oid);
    return indexed != null && isVisible(view, indexed.schema(), indexed.indexName(oid));
  }

  private boolean isVisible(CatalogSnapshot view, String own, String name) {
    for (String schema : state.searchPath()) {
      if (schema.equals(own)) {
        return true;
      }
      if (relationOid(view, schema, name) != 0) {
        return false;
      }
    }
    return false;
  }

  /** Name as regclass prints it; null when there is no such relation. */
  String relationName(int oid) {
    TableDef table = view().table(oid);
    if (table != null) {
      return print(oid, table.schema(), table.name());
    }
    ViewDef made = view().view(oid);
    if (made != null) {
      return print(oid, made.schema(), made.name());
    }
    SequenceDef sequence = view().sequence(oid);
    if (sequence != null) {
      return print(oid, sequence.schema(), sequence.name());
    }
    TableDef indexed = view().tableOfIndex(oid);
    return indexed == null ? null : print(oid, indexed.schema(), indexed.indexName(oid));
  }

  private String print(int oid, String schema, String name) {
    String quoted = Quoting.identifier(name);
    return schema.equals("pg_catalog") || isVisible(oid)
        ? quoted
        : Quoting.identifier(schema) + "." + quoted;
  }

  // ---------------------------------------------------------------- types

  /**
   * Oid of a type of CREATE TYPE; 0 when there is none.
   *
   * @param schema null = along the search path
   * @param array finds the array type over it
   * @throws GaussException 42501 when the role may not use the schema that is written
   */
  int typeOid(String schema, String name, boolean array) {
    CatalogSnapshot view = view();
    if (schema != null) {
      new Access(view).requireSchema(state.roles().identity().current(), schema, Privilege.USAGE);
    }
    PgType found = view.type(state.searchPath(), schema, name);
    if (found == null) {
      return 0;
    }
    return array && !found.isPlainArray() ? found.arrayOid() : found.declaredOid();
  }

  /** Whether a type is found by its unqualified name. */
  boolean isTypeVisible(int oid) {
    PgType type = view().type(oid);
    if (type == null) {
      return true;
    }
    PgType found = view().type(state.searchPath(), null, type.name());
    return PgTypes.byNameOrNull(type.name()) == null && found != null && found.declaredOid() == oid;
  }

  /** Name of a type of CREATE TYPE as regtype prints it; null when there is none. */
  String typeName(int oid) {
    PgType type = view().type(oid);
    if (type == null) {
      return null;
    }
    if (type.isPlainArray()) {
      return typeName(type.element().declaredOid()) + "[]";
    }
    return (isTypeVisible(oid) ? "" : Quoting.identifier(type.schema()) + ".")
        + Quoting.identifier(type.name());
  }

  // ---------------------------------------------------------------- sequences

  private SequenceDef sequence(int oid) {
    SequenceDef sequence = view().sequence(oid);
    if (sequence == null) {
      TableDef table = view().table(oid);
      throw table != null
          ? new GaussException(
              SqlState.WRONG_OBJECT_TYPE, "\"%s\" is not a sequence".formatted(table.name()))
          : new GaussException(
              SqlState.UNDEFINED_TABLE, "relation with OID %d does not exist".formatted(oid));
    }
    return sequence;
  }

  /** Any of the privileges is enough. */
  private void require(int oid, int privileges) {
    if (state.roles().isSuperuser()) {
      return;
    }
    SequenceDef sequence = sequence(oid);
    Access access = new Access(view());
    int role = state.roles().identity().current();
    if ((access.privileges(role, Privilege.ObjectKind.SEQUENCE, oid) & privileges) == 0
        && !(privileges == NEXT && mayInsertIdentity(access, role, sequence))) {
      throw Access.denied("sequence", sequence.name());
    }
  }

  /** A read-only transaction may draw from temporary sequences only, as in PostgreSQL. */
  private void requireReadWrite(int oid, String function) {
    if (!TemporarySchemas.isTemporary(sequence(oid).schema())) {
      state.control().requireReadWrite(function);
    }
  }

  /** Roles that may insert into a table need no privileges on its identity sequence. */
  private boolean mayInsertIdentity(Access access, int role, SequenceDef sequence) {
    TableDef table = view().table(sequence.ownerTableOid());
    return table != null
        && table.columns().stream()
            .anyMatch(c -> c.sequenceOid() == sequence.oid() && c.identity() != 0)
        && (access.tablePrivileges(role, table) & Privilege.INSERT.bit()) != 0;
  }

  @Override
  public long nextValue(int sequenceOid) {
    require(sequenceOid, NEXT);
    requireReadWrite(sequenceOid, "nextval()");
    long value = services.sequences().next(sequence(sequenceOid), state.context());
    checkAnswerable();
    currentValues.put(sequenceOid, value);
    lastSequence = sequenceOid;
    sequenceVersion++;
    return value;
  }

  long sequenceVersion() {
    return sequenceVersion;
  }

  /** The values of currval, by sequence. */
  Map<Integer, Long> currentValues() {
    return currentValues;
  }

  /** The sequence of lastval; 0 when there is none yet. */
  int lastSequence() {
    return lastSequence == null ? 0 : lastSequence;
  }

  /** Takes over the sequence values that the same session has got on another node. */
  void adoptSequences(Map<Integer, Long> values, int last) {
    currentValues.clear();
    currentValues.putAll(values);
    lastSequence = last == 0 ? null : (Integer) last;
    sequenceVersion++;
  }

  /** Forgets the values of currval and lastval. */
  void discardSequences() {
    adoptSequences(Map.of(), 0);
  }

  @Override
  public long currentValue(int sequenceOid) {
    require(sequenceOid, CURRENT);
    Long value = currentValues.get(sequenceOid);
    if (value == null) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "currval of sequence \"%s\" is not yet defined in this session"
              .formatted(sequence(sequenceOid).name()));
    }
    return value;
  }

  @Override
  public void setValue(int sequenceOid, long value, boolean called) {
    require(sequenceOid, SET);
    requireReadWrite(sequenceOid, "setval()");
    checkNotRepeated();
    services.sequences().set(sequence(sequenceOid), value, called, state.context());
    if (called) {
      currentValues.put(sequenceOid, value);
      sequenceVersion++;
    }
  }

  /**
   * No rollback undoes that a sequence was set: what may have set it on a node that is lost must
   * not set it again. The text need not show that it does, as for a view.
   *
   * @throws GaussException 40001 in a block, else 08007
   */
  private void checkNotRepeated() {
    if (!state.isRepeated()) {
      return;
    }
    throw state.control().state() == TransactionControl.State.BLOCK
        ? new GaussException(
                SqlState.SERIALIZATION_FAILURE,
                "the transaction is rolled back: it may have set the sequence on a compute node"
                    + " that is lost")
            .hint("The transaction might succeed if retried.")
        : new GaussException(
            SqlState.TRANSACTION_RESOLUTION_UNKNOWN,
            "it is not known whether the sequence was set: the compute node is lost");
  }

  @Override
  public long lastValue() {
    if (lastSequence == null) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, "lastval is not yet defined in this session");
    }
    return currentValue(lastSequence);
  }
}
