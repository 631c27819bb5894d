package io.gauss.compute.routing;

import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.RoutingMode;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Watches some transactions of one session, at random. A transaction that is not watched costs two
 * counters and two branches. Belongs to the session; other threads read its counts without a lock,
 * so they may be slightly out of date.
 */
public final class TransactionSampler implements AutoCloseable {
  private final AccessSampling node;
  private final EngineContext context;
  private final SplittableRandom random;
  private SamplingRate rate; // of the session's user
  private int role;
  private int left; // transactions until the next watched one
  private double interval; // for which that was drawn
  private int changes; // of the rate's interval, until then

  private RoutingMode mode = RoutingMode.OFF;
  private volatile boolean servesOther;
  private boolean isCompared; // the next transaction, or the one that runs
  private RoutingCounts before = RoutingCounts.NONE; // of earlier modes, and of samples
  private long chose; // transactions in earlier modes that follow
  private long transactions;
  private long sampled;
  private long sampledPages;
  private long sampledTransfers;

  private TouchedPages touched; // null = the transaction is not watched
  private long transfersBefore;
  private long accessesBefore;
  private double weight;
  private String text;
  private List<Object> values;
  private int[] tables;

  TransactionSampler(AccessSampling node, EngineContext context, SplittableRandom random) {
    this.node = node;
    this.context = context;
    this.random = random;
    this.rate = node.rate(role);
    draw(false);
  }

  /** Called when the session's user is known, before any transaction. */
  public void role(int oid) {
    node.enter(this, oid);
    draw(false);
  }

  /** When the next transaction is watched. The weight of that one is of the same interval. */
  private void draw(boolean refused) {
    changes = rate.changes(); // read before the interval, which changes first
    interval = rate.interval();
    left = rate.gap(random.nextDouble(), refused, interval);
  }

  /** Under the lock of {@link AccessSampling}, which calls it. */
  void role(int oid, SamplingRate of) {
    role = oid;
    rate = of;
  }

  /** Oid of the session's user; 0 while it is not known. */
  int role() {
    return role;
  }

  /** Transactions since the session began. */
  public long transactions() {
    return transactions;
  }

  /** Called when a transaction begins. */
  public void begun() {
    transactions++;
    if (rate.changes() != changes) {
      draw(false); // what was drawn at a higher load may last for very long now
    }
    if (--left <= 0) {
      watch();
    }
  }

  private void watch() {
    boolean isRefused = !rate.tryTake();
    double stands = interval;
    draw(isRefused);
    if (!isRefused) {
      touched = node.takePages();
      transfersBefore = context.pages().remote();
      accessesBefore = context.pages().hits();
      weight = stands;
      touched.begin(context.pages());
      context.pages().watch(touched);
    }
  }

  /** Whether the transaction is watched and its first statement has not been recorded yet. */
  public boolean wantsStatement() {
    return touched != null && text == null;
  }

  /**
   * Records the first statement of a watched transaction.
   *
   * @param parameters values of the types, and perhaps more
   * @param tableOids of all tables that the statement uses. Not to be changed afterwards
   */
  public void statement(String statement, PgType[] types, Value[] parameters, int[] tableOids) {
    text =
        statement.length() <= AccessSample.MOST_CHARACTERS
            ? statement
            : statement.substring(0, AccessSample.MOST_CHARACTERS);
    values = SampledValues.of(types, parameters);
    tables = tableOids;
  }

  /** Called when the transaction has ended. */
  public void ended(boolean isCommitted) {
    if (touched != null) {
      finish(isCommitted);
    }
    isCompared = false;
  }

  private void finish(boolean isCommitted) {
    context.pages().watch(null);
    TouchedPages pages = touched;
    touched = null;
    long[] groups = pages.groups();
    // A transaction that touched no table teaches nothing, for example a query for the time.
    if (text != null && groups.length != 0) {
      long transfers = context.pages().remote() - transfersBefore;
      sampled++;
      sampledPages += pages.count();
      sampledTransfers += transfers;
      node.add(
          follows() || isCompared,
          new AccessSample(
              node.self(),
              node.nowMicros(),
              mode,
              isCommitted,
              text,
              values,
              groups,
              pages.writtenGroups(),
              pages.movedGroups(),
              weight,
              context.pages().hits() - accessesBefore,
              pages.count(),
              transfers,
              pages.isComplete(),
              role,
              tables));
    }
    text = null;
    values = null;
    tables = null;
    node.giveBack(pages);
  }

  /** Sets how the client chooses nodes from now on. */
  public void mode(RoutingMode now) {
    if (now != mode) {
      RoutingCounts counts = counts();
      node.add(mode, counts, () -> changed(now, counts));
    }
  }

  private void changed(RoutingMode now, RoutingCounts counts) {
    chose += mode.follows() ? counts.transactions() : 0;
    before = before.plus(counts);
    mode = now;
  }

  RoutingMode mode() {
    return mode;
  }

  /**
   * Transactions so far of which the client has chosen the node by what is published, if its role
   * sees any of it.
   */
  long choosing() {
    return chose + (mode.follows() ? transactions - before.transactions() : 0);
  }

  /** From now on the session's transactions are those that other nodes have forwarded. */
  public void serveOther() {
    servesOther = true;
  }

  /**
   * The next transaction runs here only to be compared with its like, which are forwarded: it does
   * not keep its pages here.
   */
  public void compares() {
    isCompared = true;
  }

  /**
   * Whether transactions come here because of what is published: if pages go where they are to be,
   * so do the transactions that use them.
   */
  boolean follows() {
    return servesOther || mode.follows() && node.sees(role);
  }

  /** Whether the session's transactions are those that other nodes have forwarded. */
  boolean servesOther() {
    return servesOther;
  }

  /** Counts since the session began or the mode changed. */
  RoutingCounts counts() {
    return new RoutingCounts(
        transactions - before.transactions(),
        context.pages().hits() - before.accesses(),
        context.pages().remote() - before.transfers(),
        sampled - before.sampled(),
        sampledPages - before.sampledPages(),
        sampledTransfers - before.sampledTransfers());
  }

  /** Called when the session ends. */
  @Override
  public void close() {
    ended(false);
    node.closed(this);
  }
}
