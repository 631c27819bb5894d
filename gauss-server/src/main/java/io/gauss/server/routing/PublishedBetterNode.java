package io.gauss.server.routing;

import io.gauss.common.runtime.Environment;
import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.jdbc.routing.DecisionOrder;
import io.gauss.jdbc.routing.KeyHints;
import io.gauss.jdbc.routing.KeyOwnerSource;
import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.NodeScores;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementCache;
import io.gauss.jdbc.routing.statement.StatementTemplate;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides where a transaction belongs whose client does not use the cluster's driver, from the
 * cluster's publications for drivers, in the order in which drivers ask ({@link DecisionOrder});
 * the model in plain Java. By how much another node has to be better is measured for each template,
 * since going there costs a round trip for every message: the answer says how clearly it is.
 * Unknown transactions stay. Thread-safe; never waits.
 */
public final class PublishedBetterNode implements BetterNode {
  private static final Logger LOG = LoggerFactory.getLogger(PublishedBetterNode.class);

  /** Number of statements and decisions that are kept. */
  private static final int KEPT = 4096;

  /**
   * How far another node's value must exceed this node's at least; and the bounds of the degrees
   * above, of which the first one has to show that it pays.
   */
  private static final double[] LEADS = {0.05, 0.1, 0.2, 0.4};

  /** Interval of checks of the nodes and their loads. */
  private static final long LOOK_NANOS = 500_000_000L;

  /** After a question has come up: others that come meanwhile are asked with it. */
  private static final long ASK_NANOS = 20_000_000L;

  private final int self;
  private final Supplier<PublishedRouting> published;
  private final Supplier<Map<Integer, Integer>> numbers;
  private final IntFunction<NodeLoad> loads;
  private final LongSupplier nanos;
  private final KeyOwnerSource owners;
  private final KeyHints hints;
  private final StatementCache statements = new StatementCache(KEPT);
  private final AtomicReferenceArray<Scored> scored = new AtomicReferenceArray<>(KEPT);
  private final AtomicLong lookAt;
  private volatile Nodes nodes = new Nodes(Map.of(), Map.of());
  private volatile long changes; // of the nodes; written under this object's lock
  private volatile Content content = new Content(0, null, null, Set.of(), new StayingTemplates());

  /**
   * The nodes that serve.
   *
   * @param slots by number
   * @param loads by number
   */
  private record Nodes(Map<Integer, Integer> slots, Map<Integer, Double> loads) {}

  /**
   * The publications; null = there is none.
   *
   * @param inTable templates that the table has
   * @param staying templates whose transactions stay by it
   */
  private record Content(
      long version,
      ModelSnapshot model,
      RoutingTable table,
      Set<Long> inTable,
      StayingTemplates staying) {
    boolean isEmpty() {
      return model == null && table == null;
    }

    /** The same for other nodes: what stayed with those before may not stay now. */
    Content anew() {
      return new Content(version, model, table, inTable, new StayingTemplates());
    }

    boolean knows(ReadStatement read) {
      long template = read.template().id();
      boolean isByTable = model == null || model.model().byTable().contains(template);
      return isByTable && inTable.contains(template)
          || model != null && model.encoder().place(template, read.operators().length) >= 0;
    }
  }

  /**
   * @param scores null = the model does not know
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Scored(ModelSnapshot model, long template, long quantised, float[] scores) {}

  /**
   * @param self slot of this node
   * @param numbers of the nodes that serve, by slot
   * @param loads by slot; null when that is not known
   * @param nanos monotonic clock
   * @param owners tells which nodes have the rows of keys
   */
  PublishedBetterNode(
      int self,
      Supplier<PublishedRouting> published,
      Supplier<Map<Integer, Integer>> numbers,
      IntFunction<NodeLoad> loads,
      LongSupplier nanos,
      KeyOwnerSource owners) {
    this.self = self;
    this.published = published;
    this.numbers = numbers;
    this.loads = loads;
    this.nanos = nanos;
    this.lookAt = new AtomicLong(nanos.getAsLong());
    this.owners = owners;
    this.hints = new KeyHints(true, nanos);
    hints.onQuestions(
        () -> {
          long soon = nanos.getAsLong() + ASK_NANOS;
          lookAt.accumulateAndGet(soon, (due, asked) -> due - asked < 0 ? due : asked);
        });
  }

  /** For transactions that clients begin on a node. */
  public static PublishedBetterNode of(ComputeNode node) {
    RoutingExchange routing = node.routing();
    return new PublishedBetterNode(
        node.transactions().node(),
        routing::published,
        node::computeNodes,
        routing::load,
        System::nanoTime,
        node::keyOwners);
  }

  @Override
  public boolean knowsAny() {
    boolean any = !content.isEmpty() && nodes.slots.size() > 1;
    if (!any) {
      look(); // who looks at transactions checks for news, too
    }
    return any;
  }

  @Override
  public long version() {
    return content.version + changes;
  }

  @Override
  public int better(String text, List<?> parameters) {
    look();
    Content now = content;
    if (now.isEmpty()) {
      return NOT_KNOWN;
    }
    ReadStatement read = statements.get(text);
    if (read.template().kind() == StatementTemplate.Kind.TELLS_NOTHING) {
      return NOT_YET;
    }
    return find(now, read, read.values(parameters));
  }

  private int find(Content now, ReadStatement read, Object[] values) {
    long template = read.template().id();
    Supplier<Integer> owner = () -> known(byOwner(read, values));
    Supplier<Integer> table =
        () -> now.table == null ? null : known(byTable(now.table, read, values));
    Integer found =
        now.model == null
            ? DecisionOrder.withTable(now.table, template, owner, table)
            : DecisionOrder.withModel(
                now.model.model(),
                template,
                owner,
                table,
                () -> known(byModel(now.model, read, values)));
    return found == null ? NOT_KNOWN : found;
  }

  private static Integer known(int answer) {
    return answer == NOT_KNOWN ? null : answer;
  }

  @Override
  public boolean needsValues(String text) {
    Content now = content;
    if (now.isEmpty()) {
      return false;
    }
    ReadStatement read = statements.get(text);
    return now.knows(read) || hints.mayTell(read);
  }

  @Override
  public boolean stays(String text) {
    look();
    return content.staying.stays(
        statements.get(text).template().id(), Environment.random().nextInt());
  }

  @Override
  public void looked(String text, boolean elsewhere) {
    content.staying.looked(statements.get(text).template().id(), elsewhere);
  }

  @Override
  public long template(String text) {
    return statements.get(text).template().id();
  }

  // ---------------------------------------------------------------- owners of keys

  private int byOwner(ReadStatement read, Object[] values) {
    Integer slot = nodes.slots.get(hints.node(read, values));
    if (slot == null) {
      return NOT_KNOWN;
    }
    return slot == self ? STAY : slot;
  }

  // ---------------------------------------------------------------- the model

  private int byModel(ModelSnapshot model, ReadStatement read, Object[] values) {
    long template = read.template().id();
    int place = model.encoder().place(template, values.length);
    if (place < 0 || !model.encoder().tells(place, values)) {
      return NOT_KNOWN;
    }
    long quantised = model.quantised(place, values);
    long mixed = (template ^ Long.rotateLeft(quantised, 32)) * 0x9e3779b97f4a7c15L;
    int kept = (int) (mixed >>> 40) & (KEPT - 1);
    Scored known = scored.getAcquire(kept);
    if (known == null
        || known.model != model
        || known.template != template
        || known.quantised != quantised) {
      known = new Scored(model, template, quantised, model.scores(place, read.operators(), values));
      scored.setRelease(kept, known);
    }
    return known.scores == null ? NOT_KNOWN : choose(model.model().nodes(), known.scores);
  }

  private int choose(List<NodeShare> shares, float[] scores) {
    Nodes there = nodes;
    double here = 0; // a node unknown to the model owns nothing
    double highest = Double.NEGATIVE_INFINITY;
    int best = 0;
    double highestScore = 0;
    double sum = 0;
    int serving = 0;
    for (int i = 0; i < scores.length; i++) {
      int number = shares.get(i).node();
      Integer slot = there.slots.get(number);
      if (slot == null) {
        continue;
      }
      highestScore = Math.max(highestScore, scores[i]);
      sum += scores[i];
      serving++;
      double value = scores[i] - shares.get(i).loadWeight() * there.loads.getOrDefault(number, 0.0);
      if (slot == self) {
        here = value;
      } else if (value > highest) {
        highest = value;
        best = slot;
      }
    }
    if (!NodeScores.standsOut(highestScore, sum, serving, NodeScores.CONFIDENCE)) {
      return NOT_KNOWN;
    }
    return best == 0 ? STAY : rated(best, highest - here);
  }

  private static int rated(int slot, double lead) {
    int degree = 0;
    while (degree < LEADS.length && lead > LEADS[degree]) {
      degree++;
    }
    return degree == 0 ? STAY : BetterNode.answer(slot, degree);
  }

  // ---------------------------------------------------------------- the table

  private int byTable(RoutingTable table, ReadStatement read, Object[] values) {
    Integer slot = nodes.slots.get(table.node(read.template().id(), values));
    if (slot == null) {
      return NOT_KNOWN; // as for drivers, also when its node is away
    }
    return slot == self ? STAY : slot;
  }

  // ---------------------------------------------------------------- publications

  /**
   * From time to time has another thread check for news, since reading a model takes milliseconds.
   */
  private void look() {
    long due = lookAt.get();
    long now = nanos.getAsLong();
    if (now - due >= 0 && lookAt.compareAndSet(due, now + LOOK_NANOS)) {
      Thread.ofVirtual().name("routing-look").start(this::refresh);
    }
  }

  /** Reads the nodes, and checks for newer publications. */
  synchronized void refresh() {
    Map<Integer, Integer> slots = new TreeMap<>();
    Map<Integer, Double> busy = new TreeMap<>();
    numbers
        .get()
        .forEach(
            (slot, number) -> {
              slots.put(number, slot);
              NodeLoad load = loads.apply(slot);
              busy.put(number, load == null ? 0 : Math.max(0, load.cpu()));
            });
    boolean areOthers = !slots.keySet().equals(nodes.slots.keySet());
    nodes = new Nodes(slots, busy);
    if (areOthers) {
      // What belonged to none of those that were there may belong to one now.
      content = content.anew();
      changes++;
    }
    try {
      hints.ask(owners);
    } catch (SQLException e) {
      LOG.warn("owners of keys are not told", e);
    }
    PublishedRouting newest = published.get();
    if (newest.version() > content.version) {
      content = read(newest);
      hints.published();
    }
  }

  /** Publications that cannot be used are skipped; newer ones are read when they come. */
  private static Content read(PublishedRouting newest) {
    RoutingTable table = readTable(newest.table());
    Set<Long> inTable =
        table == null
            ? Set.of()
            : table.entries().stream()
                .map(RoutingTable.Entry::template)
                .collect(Collectors.toUnmodifiableSet());
    return new Content(
        newest.version(), readModel(newest.model()), table, inTable, new StayingTemplates());
  }

  private static ModelSnapshot readModel(byte[] bytes) {
    if (bytes == null) {
      return null;
    }
    try {
      RoutingModel content = Publication.readModel(bytes, PublishedRouting.MOST_BYTES);
      return new ModelSnapshot(content, new JavaEngine(content.layers()));
    } catch (PublicationException e) {
      LOG.warn("the published model cannot be used for rerouting: {}", e.getMessage());
      return null;
    }
  }

  private static RoutingTable readTable(byte[] bytes) {
    if (bytes == null) {
      return null;
    }
    try {
      return Publication.readTable(bytes, PublishedRouting.MOST_BYTES);
    } catch (PublicationException e) {
      LOG.warn("the published table cannot be used for rerouting: {}", e.getMessage());
      return null;
    }
  }
}
