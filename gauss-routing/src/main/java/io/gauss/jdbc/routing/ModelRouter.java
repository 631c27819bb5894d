package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.Decision.Cause;
import io.gauss.jdbc.routing.model.Engine;
import io.gauss.jdbc.routing.model.KnownKeys;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementCache;
import io.gauss.jdbc.routing.statement.StatementTemplate;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Routes by the model that the cluster publishes. Statements that the model does not know are
 * routed by {@link KeyAffinity}, and those without a value anywhere. Scores are cached by template
 * and quantised features; loads, states of nodes and hysteresis are evaluated each time.
 */
public final class ModelRouter implements Router {
  private final RouterSettings settings;
  private final PublicationPoll poll;
  private final Engines engines;
  private final StatementCache statements = new StatementCache(4096);
  private final KeyAffinity byKey = new KeyAffinity();
  private final DecisionCache decisions;
  private final KeyHints hints;
  private final BetterRanges ranges;
  private volatile ModelSnapshot current;
  private volatile boolean isConfirmed = true;
  private final boolean computes; // else only values that are looked up count
  private boolean closed;

  private final LongAdder byModel = new LongAdder();
  private final LongAdder byTable = new LongAdder();
  private final LongAdder hits = new LongAdder();
  private final LongAdder computed = new LongAdder();
  private final LongAdder taken = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder unknown = new LongAdder();
  private final LongAdder failures = new LongAdder();

  ModelRouter(RouterSettings settings, Engines engines) {
    this.settings = settings;
    this.engines = engines;
    this.computes = !settings.without().contains(RouterSettings.Part.NETWORK);
    this.poll = new PublicationPoll("model", settings.maxBytes());
    this.decisions = DecisionCache.create(settings.cacheSize());
    this.hints = new KeyHints(settings);
    this.ranges =
        new BetterRanges(
            !settings.without().contains(RouterSettings.Part.RANGES), settings.maxBytes());
  }

  @Override
  public Decision route(RouteRequest request) {
    ReadStatement read = statements.get(request.sql());
    if (read.template().kind() == StatementTemplate.Kind.TELLS_NOTHING) {
      return Decision.notYet("model: the statement touches no rows");
    }
    Object[] values = read.values(request.parameters());
    ModelSnapshot snapshot = isConfirmed ? current : null;
    if (snapshot == null) {
      // Nothing was learned, and all rows may be where they were loaded.
      unknown.increment();
      return byKey.decide("model", read, request.parameters(), request.topology());
    }
    Topology topology = request.topology();
    Decision known =
        DecisionOrder.withModel(
            snapshot.model(),
            read.template().id(),
            () -> byOwner(read, values, topology),
            () -> byTable(snapshot, read, values, topology),
            () -> byModel(read, values, topology));
    if (known != null) {
      return known;
    }
    unknown.increment();
    return byKey.decide("model", read, request.parameters(), request.topology());
  }

  @Override
  public List<String> explain(RouteRequest request) {
    List<String> lines = new ArrayList<>();
    ReadStatement read = statements.get(request.sql());
    Object[] values = read.values(request.parameters());
    StatementLines.add(lines, read, values);
    if (read.template().kind() == StatementTemplate.Kind.TELLS_NOTHING) {
      return lines;
    }
    ClusterNode node = explainModel(read, values, request.topology(), lines);
    ModelSnapshot snapshot = current;
    if (snapshot != null) {
      boolean ownerFirst = snapshot.model().byOwner().contains(read.template().id());
      ClusterNode inTable = ranges.node(snapshot.model(), read, values, request.topology());
      ClusterNode learned = inTable == null ? node : inTable;
      if (hints.explain(read, values, request.topology(), learned, ownerFirst, lines)) {
        return lines;
      }
      if (inTable != null) {
        lines.add("Decision: " + inTable + ", by the table, which is better for the template");
        return lines;
      }
    }
    lines.add(
        node == null
            ? byKey.explain(read, request.parameters(), request.topology())
            : "Decision: " + node + ", by the model");
    return lines;
  }

  private ClusterNode explainModel(
      ReadStatement read, Object[] values, Topology topology, List<String> lines) {
    ModelSnapshot snapshot = current;
    if (snapshot == null) {
      lines.add("Model: none is published yet");
      return null;
    }
    try {
      int last = 0;
      int place = snapshot.encoder().place(read.template().id(), values.length);
      if (place >= 0) {
        long features = snapshot.quantised(place, values);
        CachedScores cached = decisions.get(new DecisionCache.Key(read.template().id(), features));
        last = cached == null ? 0 : cached.last;
      }
      return new ModelLines(snapshot, settings, topology, lines).add(read, values, last);
    } catch (IllegalStateException e) {
      lines.add("  Does not know: " + e.getMessage());
      return null;
    }
  }

  private Decision byOwner(ReadStatement read, Object[] values, Topology topology) {
    ClusterNode owner = hints.node(read, values, topology);
    return owner == null ? null : hints.decide("model", owner);
  }

  private Decision byTable(
      ModelSnapshot snapshot, ReadStatement read, Object[] values, Topology topology) {
    ClusterNode node = ranges.node(snapshot.model(), read, values, topology);
    if (node == null) {
      return null;
    }
    byTable.increment();
    return Decision.on(node, Cause.TABLE, "model: the table's key range belongs there");
  }

  private Decision byModel(ReadStatement read, Object[] values, Topology topology) {
    ClusterNode node = node(read, values, topology);
    if (node == null) {
      return null;
    }
    byModel.increment();
    return Decision.on(node, Cause.MODEL, "model: owns most of what is likely to be touched");
  }

  private ClusterNode node(ReadStatement read, Object[] values, Topology topology) {
    for (int attempt = 0; attempt < 2; attempt++) {
      ModelSnapshot snapshot = isConfirmed ? current : null;
      if (snapshot == null) {
        return null;
      }
      try {
        return choose(snapshot, read, values, topology);
      } catch (IllegalStateException e) {
        // Either it was replaced and closed meanwhile, and the next attempt takes the new one, or
        // the engine failed, which is counted: a wrong route is only slower.
        failures.increment();
      }
    }
    return null;
  }

  private ClusterNode choose(
      ModelSnapshot snapshot, ReadStatement read, Object[] values, Topology topology) {
    long template = read.template().id();
    int place = snapshot.encoder().place(template, values.length);
    if (place < 0
        || !snapshot.encoder().tells(place, values)
        || !computes && !snapshot.looksUp(place, values)) {
      return null;
    }
    var key = new DecisionCache.Key(template, snapshot.quantised(place, values));
    CachedScores cached = decisions.get(key);
    if (cached == null || cached.snapshot != snapshot) {
      float[] scores = snapshot.scores(place, read.operators(), values);
      cached = new CachedScores(snapshot, scores, cached == null ? 0 : cached.last);
      decisions.put(key, cached);
      computed.increment();
    } else {
      hits.increment();
    }
    if (cached.scores == null) {
      return null;
    }
    ClusterNode node =
        NodeChoice.choose(
            snapshot.model().nodes(),
            cached.scores,
            topology,
            cached.last,
            settings.confidence(),
            settings.hysteresis());
    if (node != null && cached.last != node.number()) {
      cached.last = node.number();
    }
    return node;
  }

  /**
   * Asks for a newer model. When it cannot be used, the present one stays in use.
   *
   * @throws SQLException when the server does not answer, or the model cannot be used; the text
   *     gives the reason
   */
  @Override
  public void refresh(Connection connection, Topology topology) throws SQLException {
    byte[] bytes = poll.newer(connection, refused);
    isConfirmed = true;
    if (bytes != null) {
      try {
        load(bytes);
      } catch (PublicationException | IllegalStateException e) {
        refused.increment();
        throw new SQLException("the published model cannot be used: " + e.getMessage(), "XX000", e);
      }
    }
    ModelSnapshot snapshot = current;
    if (snapshot != null) {
      try {
        ranges.refresh(snapshot.model(), connection, refused);
      } catch (PublicationException e) {
        refused.increment();
        throw new SQLException("the published table cannot be used: " + e.getMessage(), "XX000", e);
      }
    }
  }

  @Override
  public void onQuestions(Runnable wake) {
    hints.onQuestions(wake);
  }

  @Override
  public void ask(Connection connection) throws SQLException {
    hints.ask(connection);
  }

  /**
   * As {@link #ask(Connection)}, for servers that answer themselves.
   *
   * @throws SQLException when the server does not answer
   */
  public void ask(KeyOwnerSource server) throws SQLException {
    hints.ask(server);
  }

  @Override
  public void forget() {
    isConfirmed = false;
    hints.forget();
  }

  /**
   * Takes a table into use, for templates of which the model says that the table is better.
   *
   * @throws PublicationException when it is damaged, too large or of a newer format
   */
  public void loadTable(byte[] bytes) throws PublicationException {
    ranges.load(bytes);
  }

  /**
   * Takes a model into use. One of the same version may have more or less of it, as the rights of
   * the session's role are now.
   *
   * @throws PublicationException when it is damaged, too large, of a newer format or older than the
   *     one in use, which then stays
   * @throws IllegalStateException when the engine that the properties name cannot compute it
   */
  public synchronized void load(byte[] bytes) throws PublicationException {
    RoutingModel model = Publication.readModel(bytes, settings.maxBytes());
    if (settings.without().contains(RouterSettings.Part.KEYS)) {
      model = model.with(KnownKeys.NONE);
    }
    ModelSnapshot before = current;
    if (before != null && model.version() < before.model().version()) {
      throw new PublicationException(
          PublicationException.Reason.STALE,
          "version " + model.version() + " after " + before.model().version());
    }
    if (closed) {
      return;
    }
    Engine engine = engines.open(settings.engine(), model);
    current = new ModelSnapshot(model, engine);
    taken.increment();
    hints.published();
    if (before != null) {
      before.close();
    }
  }

  @Override
  public RouterReport report() {
    ModelSnapshot snapshot = current;
    return new RouterReport(
        "model",
        snapshot == null ? 0 : snapshot.model().version(),
        snapshot == null ? "none" : snapshot.engine().name(),
        byModel.sum() + byTable.sum(),
        hints.owned(),
        hits.sum(),
        computed.sum(),
        unknown.sum(),
        failures.sum(),
        taken.sum(),
        refused.sum());
  }

  @Override
  public synchronized void close() {
    closed = true;
    ModelSnapshot before = current;
    current = null;
    if (before != null) {
      before.close();
    }
  }
}
