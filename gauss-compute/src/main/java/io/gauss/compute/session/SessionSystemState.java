package io.gauss.compute.session;

import io.gauss.common.runtime.Environment;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.catalog.statistics.ModificationCounters;
import io.gauss.compute.routing.TableRights;
import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.compute.routing.data.RoutingParts;
import io.gauss.compute.session.setting.SettingDefinition;
import io.gauss.compute.session.setting.SettingDefinitions;
import io.gauss.compute.session.wire.ActivityLayout.Activity;
import io.gauss.compute.sql.copy.CopyProgress;
import io.gauss.compute.sql.state.NodeState;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.wait.Latencies;
import io.gauss.compute.wait.Parking;
import io.gauss.compute.wait.WaitCause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The data of system tables for a session. Belongs to the session. */
final class SessionSystemState implements SystemState {
  private final SessionServices services;
  private final SessionState state;

  SessionSystemState(SessionServices services, SessionState state) {
    this.services = services;
    this.state = state;
  }

  @Override
  public CatalogSnapshot catalog() {
    return state.catalog().view();
  }

  @Override
  public String typeName(int oid) {
    return state.catalog().typeName(oid);
  }

  @Override
  public List<Setting> settings() {
    List<Setting> rows = new ArrayList<>();
    for (SettingDefinition definition : SettingDefinitions.all()) {
      rows.add(
          new Setting(
              definition.name(),
              state.settings().get(definition.name()),
              definition.unit().isEmpty() ? null : definition.unit(),
              definition.description(),
              kind(definition),
              definition.defaultValue()));
    }
    return rows;
  }

  private static String kind(SettingDefinition definition) {
    return switch (definition.kind()) {
      case BOOLEAN -> "bool";
      case READ_ONLY, STRING -> "string";
      case INTEGER, ENUM -> definition.kind().name().toLowerCase(Locale.ROOT);
    };
  }

  @Override
  public Counters counters() {
    return services.counters().get();
  }

  @Override
  public Writes writes(TableDef table) {
    ModificationCounters counters = services.modifications();
    ModificationCounters.Totals totals = counters.totals(table.oid());
    boolean known = table.statistics() != TableStatistics.UNKNOWN;
    return new Writes(
        totals.inserted(),
        totals.updated(),
        totals.deleted(),
        known ? (long) counters.rows(table) : Math.max(0, totals.inserted() - totals.deleted()),
        totals.sinceAnalyze());
  }

  @Override
  public List<SessionRow> sessions() {
    List<SessionRow> rows = new ArrayList<>();
    for (Session session : services.sessions()) {
      SessionRow row = session.activity().session();
      boolean own = row.pid() == state.processId();
      rows.add(
          own
              ? new SessionRow(
                  row.pid(),
                  row.user(),
                  row.application(),
                  row.client(),
                  "active",
                  row.query(),
                  null)
              : hidden(row));
    }
    return rows;
  }

  /** Statements of other roles are visible to superusers, and to roles that act for them. */
  private SessionRow hidden(SessionRow row) {
    if (state.roles().isSuperuser() || state.roles().currentUser().equals(row.user())) {
      return row;
    }
    return new SessionRow(
        row.pid(), row.user(), null, null, null, "<insufficient privilege>", null);
  }

  @Override
  public List<CopyRow> copies() {
    List<CopyRow> rows = new ArrayList<>();
    for (Session session : services.sessions()) {
      CopyProgress progress = session.state().copyProgress();
      if (progress != null) {
        rows.add(new CopyRow(session.state().processId(), progress));
      }
    }
    return rows;
  }

  @Override
  public List<CursorRow> cursors() {
    List<CursorRow> rows = new ArrayList<>();
    for (Session session : services.sessions()) {
      if (session.state() == state) {
        for (Portal portal : session.portals().named()) {
          SqlCursor cursor = portal.cursor;
          rows.add(
              cursor == null
                  ? new CursorRow(
                      portal.name,
                      portal.statement.text(),
                      false,
                      false,
                      state.eval().statementTimestamp)
                  : new CursorRow(
                      portal.name, cursor.text, cursor.hold, cursor.scroll, cursor.created));
        }
      }
    }
    return rows;
  }

  @Override
  public List<PreparedRow> prepared() {
    List<PreparedRow> rows = new ArrayList<>();
    for (Session session : services.sessions()) {
      if (session.state() == state) {
        session
            .statements()
            .definitions()
            .forEach(
                (name, of) -> {
                  if (!name.isEmpty()) {
                    rows.add(new PreparedRow(name, of.text(), of.oids(), of.bySql()));
                  }
                });
      }
    }
    return rows;
  }

  @Override
  public List<NodeActivity> cluster() {
    Map<Integer, List<Activity>> others = services.cluster().others(state.context());
    List<NodeActivity> all = new ArrayList<>();
    Activity here = services.activity(state);
    all.add(
        new NodeActivity(
            services.transactions().node(),
            true,
            sessions(),
            here.transactions(),
            here.advisory(),
            here.notifications()));
    others.forEach(
        (slot, answer) -> {
          if (answer.isEmpty()) {
            all.add(new NodeActivity(slot, false, List.of(), List.of(), List.of(), null));
          } else {
            Activity activity = answer.getFirst();
            all.add(
                new NodeActivity(
                    slot,
                    true,
                    activity.sessions().stream().map(this::hidden).toList(),
                    activity.transactions(),
                    activity.advisory(),
                    activity.notifications()));
          }
        });
    return all;
  }

  @Override
  public List<StatementRow> statements() {
    List<StatementRow> rows = new ArrayList<>();
    services
        .metrics()
        .latencies()
        .forEach(
            (kind, latency) -> {
              long[] ends = new long[Latencies.buckets()];
              Arrays.setAll(ends, Latencies::end);
              rows.add(
                  new StatementRow(
                      kind,
                      latency.count(),
                      latency.totalNanos(),
                      latency.percentile(0.5),
                      latency.percentile(0.95),
                      latency.percentile(0.99),
                      latency.maxNanos(),
                      ends,
                      latency.counts()));
            });
    return rows;
  }

  @Override
  public List<RoutingRow> routing() {
    List<RoutingRow> rows = new ArrayList<>();
    int node = services.transactions().node();
    services
        .routing()
        .sampling()
        .counts()
        .forEach((mode, counts) -> rows.add(new RoutingRow(node, mode, counts)));
    return rows;
  }

  @Override
  public RerouteRows reroutes() {
    return new RerouteRows(services.transactions().node(), services.routing().reroutes());
  }

  @Override
  public List<AccessSample> samples() {
    List<AccessSample> all = services.routing().samples();
    return state.roles().isSuperuser()
        ? all
        : all.stream().map(AccessSample::withoutStatement).toList();
  }

  @Override
  public RoutingParts routingParts() {
    return services.routing().parts();
  }

  @Override
  public PublishedRouting publishedRouting() {
    return services.routing().published();
  }

  @Override
  public PublishedRouting readableRouting() {
    PublishedRouting published = services.routing().published();
    TableRights rights = tableRights();
    if (rights == TableRights.ALL) {
      return published;
    }
    return PublicationReaders.contains(state.catalog().view(), state.roles().identity().current())
        ? services.routing().filter().filter(published, rights::mayRead)
        : null;
  }

  private TableRights tableRights() {
    return state.roles().isSuperuser()
        ? TableRights.ALL
        : new RoleTableRights(state.catalog().view(), state.roles().identity().current());
  }

  @Override
  public PlacementRow placement() {
    return new PlacementRow(
        services.transactions().node(), services.routing().placement().counts());
  }

  @Override
  public List<String> explainRoute(String text, List<Object> values) {
    return services.routing().explainer().explain(text, values, tableRights());
  }

  @Override
  public NodeLoad load(int slot) {
    return services.routing().load(slot);
  }

  @Override
  public NodeState node() {
    return services.node();
  }

  @Override
  public long nowMicros() {
    return services.clock().getAsLong();
  }

  @Override
  public <T> T await(CompletableFuture<T> answer) {
    if (!answer.isDone()) {
      state.context().waits().beforeWait();
      long start = Environment.nanoTime();
      try {
        Parking.awaitDone(state.context(), WaitCause.NODE, answer);
      } finally {
        state.context().waits().waited(WaitCause.NODE, Environment.nanoTime() - start);
      }
    }
    return answer.join();
  }

  @Override
  public List<CheckRow> checkStore() {
    if (!state.roles().isSuperuser()) {
      throw Access.denied("table", "store_check");
    }
    return StoreCheck.run(services, state);
  }
}
