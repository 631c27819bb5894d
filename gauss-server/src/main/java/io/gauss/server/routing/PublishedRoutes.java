package io.gauss.server.routing;

import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.RouteExplainer;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.compute.routing.TableRights;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.compute.sql.state.NodeState;
import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.KeyOwnerSource;
import io.gauss.jdbc.routing.ModelRouter;
import io.gauss.jdbc.routing.RouteRequest;
import io.gauss.jdbc.routing.Routers;
import io.gauss.jdbc.routing.TableRouter;
import io.gauss.jdbc.routing.Topology;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.statement.Predicate;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where transactions belong according to the publications, determined by the same routers as in
 * drivers. A caller who finds nobody else here reads a new publication, for which those who come
 * meanwhile wait; each is told of one publication, and whose values it has. Thread-safe.
 */
public final class PublishedRoutes implements RouteExplainer, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PublishedRoutes.class);

  private final Supplier<PublishedRouting> published;
  private final Supplier<List<NodeState.Node>> nodes;
  private final IntFunction<NodeLoad> loads;
  private final IntSupplier self;
  private final BetterNode better;
  private final KeyOwnerSource owners;
  private final ModelRouter model;
  private final TableRouter table;

  /** Whoever is told something reads; a publication comes into use in one step. */
  private final ReadWriteLock use = new ReentrantReadWriteLock();

  private volatile long loaded; // written under the lock

  /** Of what is loaded; null = they are not known, and nobody else than superusers is told. */
  private PublicationSources sources = PublicationSources.NONE; // under the lock

  /**
   * @param published the last publication
   * @param nodes of the cluster
   * @param loads by slot; null when that is not known
   * @param self slot of this node
   * @param better forwards transactions to other nodes; null when nothing does
   * @param owners tells which nodes have the rows of keys
   */
  PublishedRoutes(
      Supplier<PublishedRouting> published,
      Supplier<List<NodeState.Node>> nodes,
      IntFunction<NodeLoad> loads,
      IntSupplier self,
      BetterNode better,
      KeyOwnerSource owners) {
    this.published = published;
    this.nodes = nodes;
    this.loads = loads;
    this.self = self;
    this.better = better;
    this.owners = owners;
    Properties properties = new Properties();
    properties.setProperty("routing.engine", "java"); // PyTorch is the trainer's only
    this.model = Routers.model(properties);
    this.table = Routers.table(properties);
  }

  /**
   * From now on the node explains routes.
   *
   * @param better forwards its transactions to other nodes; null when nothing does
   */
  public static PublishedRoutes tellBy(ComputeNode node, BetterNode better) {
    RoutingExchange routing = node.routing();
    PublishedRoutes routes =
        new PublishedRoutes(
            routing::published, node::nodes, routing::load, routing::self, better, node::keyOwners);
    routing.explainBy(routes);
    return routes;
  }

  @Override
  public List<String> explain(String text, List<?> parameters, TableRights rights) {
    refresh();
    use.readLock().lock();
    try {
      return explained(text, parameters, rights);
    } finally {
      use.readLock().unlock();
    }
  }

  private List<String> explained(String text, List<?> parameters, TableRights rights) {
    ClusterNode here = null;
    List<ClusterNode> compute = new ArrayList<>();
    for (NodeState.Node node : nodes.get()) {
      if (node.slot() != 0) {
        compute.add(node(node));
        here = node.slot() == self.getAsInt() ? compute.getLast() : here;
      }
    }
    List<String> lines = new ArrayList<>();
    lines.add("Connection: on " + (here == null ? "this node" : here));
    if (compute.size() < 2) {
      lines.add("Every statement runs there: it is the only compute node");
      return lines;
    }
    RouteRequest request =
        new RouteRequest(
            text,
            Collections.unmodifiableList(new ArrayList<>(parameters)),
            new Topology(1, compute),
            here);
    String hidden = hidden(text, rights);
    if (hidden != null) {
      lines.add(
          "Nothing more is told: values of %s are those of tables that you may not read (SELECT)"
              .formatted(hidden));
      return lines;
    }
    askFor(request);
    lines.addAll(model.explain(request));
    // The facts read from the statement are already in the explanation.
    table.explain(request).stream()
        .dropWhile(line -> !line.startsWith("Table:"))
        .forEach(lines::add);
    if (better != null) {
      lines.add("Rerouting of clients without a driver: " + rerouting(text, parameters));
    }
    return lines;
  }

  /**
   * A column of the statement of whose values a route would tell something, and somebody may not
   * read the tables of which these are; null = there is none.
   */
  private String hidden(String text, TableRights rights) {
    if (rights == TableRights.ALL) {
      return null;
    }
    PublicationSources known = sources;
    for (Predicate predicate : StatementReader.read(text).template().predicates()) {
      String column = predicate.column();
      int[] of = known == null ? new int[0] : known.tables().get(column);
      boolean isReadable =
          of == null || of.length > 0 && Arrays.stream(of).allMatch(rights::mayRead);
      if (!isReadable || !rights.mayReadAll(column.substring(0, column.indexOf('.')))) {
        return column;
      }
    }
    return null;
  }

  /** Has the routers know the owner of the key, for which decisions do not wait. */
  private void askFor(RouteRequest request) {
    model.explain(request);
    table.explain(request);
    try {
      model.ask(owners);
      table.ask(owners);
    } catch (SQLException e) {
      LOG.warn("owners of keys are not told", e);
    }
  }

  private String rerouting(String text, List<?> parameters) {
    int answer = better.better(text, parameters);
    return switch (answer) {
      case BetterNode.STAY -> "stays here, no other node is clearly better";
      case BetterNode.NOT_KNOWN -> "stays here, nothing is known of such statements";
      case BetterNode.NOT_YET -> "by the next statement";
      default ->
          nodes.get().stream()
              .filter(node -> node.slot() == BetterNode.slot(answer))
              .findFirst()
              .map(node -> "forwarded to " + node(node))
              .orElse("stays here, the better node has left");
    };
  }

  private ClusterNode node(NodeState.Node node) {
    ClusterNode.State state =
        node.state().startsWith("UP") || node.state().startsWith("degraded")
            ? ClusterNode.State.UP
            : node.state().startsWith("DRAINING")
                ? ClusterNode.State.DRAINING
                : ClusterNode.State.DOWN;
    NodeLoad load = loads.apply(node.slot());
    return new ClusterNode(
        node.id(),
        node.host(),
        node.port(),
        state,
        load == null || load.cpu() < 0 ? Double.NaN : load.cpu());
  }

  private void refresh() {
    PublishedRouting now = published.get();
    if (now.version() <= loaded || !use.writeLock().tryLock()) {
      return;
    }
    try {
      if (now.version() > loaded) {
        // Recorded in any case: an unusable publication is not read again and again.
        loaded = now.version();
        load(now);
      }
    } finally {
      use.writeLock().unlock();
    }
  }

  /** With a part that cannot be used, nobody knows any more whose values all of it has. */
  private void load(PublishedRouting now) {
    sources = sources(now);
    try {
      if (now.model() != null) {
        model.load(now.model());
      }
    } catch (PublicationException e) {
      sources = null;
      LOG.warn("the published model cannot be used here: {}", e.getMessage());
    }
    try {
      if (now.table() != null) {
        table.load(now.table());
        model.loadTable(now.table());
      }
    } catch (PublicationException e) {
      sources = null;
      LOG.warn("the published table cannot be used here: {}", e.getMessage());
    }
  }

  private static PublicationSources sources(PublishedRouting of) {
    try {
      return of.sources() == null
          ? null
          : PublicationSources.read(of.sources(), PublishedRouting.MOST_BYTES);
    } catch (PublicationException e) {
      LOG.warn("it cannot be read whose values are published: {}", e.getMessage());
      return null;
    }
  }

  @Override
  public void close() {
    model.close();
    table.close();
  }
}
