package io.gauss.compute.session;

import io.gauss.common.page.PageLayout;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.expr.SessionInfo;
import io.gauss.compute.keys.KeyRanges;
import io.gauss.compute.session.setting.SettingDefinitions;
import io.gauss.compute.sql.system.Comments;
import io.gauss.compute.sql.system.Definitions;
import io.gauss.compute.type.StoredTypes;
import io.gauss.compute.wait.Parking;
import io.gauss.compute.wait.WaitCause;
import java.util.List;

/** Answers current_schema(), current_setting() and similar functions for a session. */
final class SessionFunctions implements SessionInfo {
  private final SessionServices services;
  private final SessionState state;

  SessionFunctions(SessionServices services, SessionState state) {
    this.services = services;
    this.state = state;
  }

  @Override
  public String currentUser() {
    return state.roles().currentUser();
  }

  @Override
  public String sessionUser() {
    return state.roles().sessionUser();
  }

  @Override
  public String roleName(int oid) {
    RoleDef role = state.catalog().view().role(oid);
    return role == null ? null : role.name();
  }

  @Override
  public Boolean hasPrivilege(String kind, Object role, Object object, String privileges) {
    return new PrivilegeQuestions(state).hasPrivilege(kind, role, object, privileges);
  }

  @Override
  public boolean hasRole(Object role, Object of, String privilege) {
    return new PrivilegeQuestions(state).hasRole(role, of, privilege);
  }

  @Override
  public String currentDatabase() {
    return SessionFactory.DATABASE;
  }

  @Override
  public String currentSchema() {
    List<String> path = searchPath(false);
    return path.isEmpty() ? null : path.getFirst();
  }

  @Override
  public int backendPid() {
    return state.processId();
  }

  @Override
  public boolean cancelBackend(int pid) {
    return services.cluster().cancel(state.context(), pid, state.roles().identity().current());
  }

  @Override
  public boolean terminateBackend(int pid, long waitMillis) {
    return services
        .cluster()
        .terminate(state.context(), pid, state.roles().identity().current(), waitMillis);
  }

  @Override
  public String setting(String name) {
    return SettingDefinitions.find(name) == null ? null : state.settings().show(name);
  }

  @Override
  public String setSetting(String name, String value, boolean local) {
    state.settings().set(name, value, local);
    return state.settings().show(name);
  }

  @Override
  public int relationOid(String text) {
    return state.catalog().relationOid(text);
  }

  @Override
  public String relationName(int oid) {
    return state.catalog().relationName(oid);
  }

  @Override
  public List<String> searchPath(boolean implicit) {
    return (implicit ? state.searchPath() : state.namedSchemas())
        .stream().filter(schema -> state.catalog().view().schemaExists(schema)).toList();
  }

  @Override
  public int schemaOid(String name) {
    SchemaDef schema = state.catalog().view().schema(name);
    return schema == null ? 0 : schema.oid();
  }

  @Override
  public String schemaName(int oid) {
    return state.catalog().view().schemas().stream()
        .filter(schema -> schema.oid() == oid)
        .map(SchemaDef::name)
        .findFirst()
        .orElse(null);
  }

  @Override
  public int typeOid(String schema, String name, boolean array) {
    return state.catalog().typeOid(schema, name, array);
  }

  @Override
  public String typeName(int oid) {
    return state.catalog().typeName(oid);
  }

  @Override
  public boolean isTypeVisible(int oid) {
    return state.catalog().isTypeVisible(oid);
  }

  @Override
  public int roleOid(String name) {
    RoleDef role = state.catalog().view().role(name);
    return role == null ? 0 : role.oid();
  }

  @Override
  public String serialSequence(String table, String column) {
    return state.catalog().serialSequence(table, column);
  }

  @Override
  public boolean isRelationVisible(int oid) {
    return state.catalog().isVisible(oid);
  }

  @Override
  public String indexDefinition(int oid, int column, boolean pretty) {
    boolean bare = pretty && state.catalog().isVisible(oid);
    return shown(Definitions.index(state.catalog().view(), oid, column, bare, pretty));
  }

  @Override
  public String viewDefinition(int oid) {
    return shown(Definitions.view(state.catalog().view(), oid));
  }

  @Override
  public String constraintDefinition(int oid) {
    return shown(Definitions.constraint(state.catalog().view(), oid));
  }

  private String shown(String stored) {
    return StoredTypes.shown(stored, this::typeName);
  }

  @Override
  public String comment(String catalog, int oid, int attribute) {
    return Comments.text(state.catalog().view(), catalog, oid, attribute);
  }

  @Override
  public String transactionStatus(long xid) {
    return switch (services.transactions().outcome(xid, state.transaction())) {
      case IN_PROGRESS -> "in progress";
      case COMMITTED -> "committed";
      case ABORTED -> "aborted";
      case UNKNOWN -> "unknown";
    };
  }

  @Override
  public long currentXid() {
    return state.transaction().ensureXid();
  }

  @Override
  public String keyOwners(String table, String column, String value) {
    TableDef found = state.catalog().view().table(state.catalog().relationOid(table));
    if (found == null || SystemTables.isSystem(found)) {
      return null;
    }
    new Access(state.catalog().view())
        .requireTable(state.roles().identity().current(), found, Privilege.SELECT);
    KeyRanges ranges = services.keyOwners().around(state.context(), found, column, value);
    return ranges == null ? null : ranges.text();
  }

  @Override
  public void sleep(long nanos) {
    state.context().waits().beforeWait();
    Parking.await(state.context(), WaitCause.SLEEP, nanos, () -> false);
  }

  @Override
  public long databaseBytes() {
    double pages = 0;
    for (TableDef table : state.catalog().view().tables()) {
      pages += table.statistics() == TableStatistics.UNKNOWN ? 0 : table.statistics().pages();
    }
    return (long) (pages * PageLayout.PAGE_BYTES);
  }

  @Override
  public long relationBytes(int oid) {
    TableDef table = state.catalog().view().table(oid);
    return table == null ? -1 : (long) (table.statistics().pages() * PageLayout.PAGE_BYTES);
  }
}
