package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.statement.Operator;
import io.gauss.jdbc.routing.statement.Predicate;
import io.gauss.jdbc.routing.statement.ReadStatement;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Which nodes have the rows of keys, whether or not anybody has seen the keys: ranges of columns'
 * values, as servers tell them. What is not known is asked for by another thread, {@link #fill},
 * and no statement waits for that. What was told is asked for again after {@link #REFRESH_NANOS},
 * and not used after {@link #LASTS_NANOS}. Hints: one that is wrong costs transfers and nothing
 * else.
 *
 * <p>Bounded: {@value #MOST_COLUMNS} columns, of which those that nobody has asked for during
 * {@link #LASTS_NANOS} make room for others, {@value #MOST_RANGES} ranges of all of them, {@value
 * #MOST_QUESTIONS} questions. A look-up takes a binary search, and no memory. Thread-safe.
 */
final class OwnedKeys {
  static final int MOST_COLUMNS = 256;
  static final int MOST_RANGES = 65_536;
  static final int MOST_QUESTIONS = 16;

  /** More ranges than an answer has. */
  private static final int MOST_ANSWERED = 1024;

  static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(10);
  static final long LASTS_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** A column of which the server knows nothing now: pages are being fetched, or in use. */
  private static final long SHORT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** A column that tells nothing: until an index is made, or the table has grown. */
  private static final long LONG_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final Logger LOG = Logger.getLogger("io.gauss.jdbc");

  private record Question(String column, Object value) {}

  private final Map<String, OwnedColumn> columns = new ConcurrentHashMap<>();
  private final BlockingQueue<Question> questions = new ArrayBlockingQueue<>(MOST_QUESTIONS);
  private final LongSupplier nanos;
  private final LongAdder answers = new LongAdder();
  private final AtomicLong roomAt; // when it may be looked for columns that nobody uses
  private volatile Runnable wanted = () -> {};

  /**
   * @param nanos as {@link System#nanoTime}
   */
  OwnedKeys(LongSupplier nanos) {
    this.nanos = nanos;
    this.roomAt = new AtomicLong(nanos.getAsLong());
  }

  /**
   * @param wake makes a thread call {@link #fill} soon; must not wait
   */
  void onWanted(Runnable wake) {
    wanted = wake;
  }

  /**
   * The number of the node that has the rows of a statement's key; 0 when it is not known yet, and
   * will be asked for, or when the statement has no such key.
   */
  int node(ReadStatement read, Object[] values) {
    List<Predicate> predicates = read.template().predicates();
    long now = nanos.getAsLong();
    for (int i = 0; i < values.length; i++) {
      Predicate predicate = predicates.get(i);
      if (values[i] != null && predicate.operator() != Operator.TO) {
        int node = node(predicate.column(), values[i], now);
        if (node != 0) {
          return node;
        }
      }
    }
    return 0;
  }

  private int node(String name, Object value, long now) {
    OwnedColumn column = columns.get(name);
    if (column == null) {
      // Without a table there are several, and only the catalog knows which one is meant.
      if (name.charAt(0) != '.' && (columns.size() < MOST_COLUMNS || makesRoom(now))) {
        columns.putIfAbsent(name, new OwnedColumn(now, now + SHORT_PAUSE_NANOS));
        ask(name, value);
      }
      return 0;
    }
    column.used(now);
    OwnedRanges ranges = column.ranges();
    if (ranges == null) {
      if (column.isAsked(now)) {
        column.pause(now + SHORT_PAUSE_NANOS);
        ask(name, value);
      }
      return 0;
    }
    int range = ranges.find(value);
    if (range < 0) {
      return 0;
    }
    long age = now - ranges.nanos(range);
    if (age >= REFRESH_NANOS
        && column.isAsked(now)
        && ranges.takeQuestion(range)
        && !ask(name, value)) {
      ranges.giveQuestionBack(range); // or nobody asks when there is room again
    }
    return age < LASTS_NANOS ? ranges.node(range) : 0;
  }

  /** Forgets columns that nobody uses any more; looks for them now and then only. */
  private boolean makesRoom(long now) {
    long due = roomAt.get();
    if (now - due < 0 || !roomAt.compareAndSet(due, now + SHORT_PAUSE_NANOS)) {
      return false;
    }
    columns.values().removeIf(column -> now - column.usedNanos() >= LASTS_NANOS);
    return columns.size() < MOST_COLUMNS;
  }

  /** Whether the values of a statement of this template may tell something. */
  boolean mayTell(ReadStatement read) {
    long now = nanos.getAsLong();
    for (Predicate predicate : read.template().predicates()) {
      OwnedColumn column = columns.get(predicate.column());
      boolean isUseless = column != null && column.ranges() == null && !column.isAsked(now);
      if (!isUseless && predicate.column().charAt(0) != '.') {
        return true;
      }
    }
    return false;
  }

  /** Returns false when there are too many questions. */
  private boolean ask(String column, Object value) {
    boolean isTaken = questions.offer(new Question(column, value));
    if (isTaken) {
      wanted.run();
    }
    return isTaken;
  }

  /** How many questions were answered. */
  long answers() {
    return answers.sum();
  }

  /** For tests: a column that was asked for. */
  OwnedColumn column(String name) {
    return columns.get(name);
  }

  /** Ranges that are kept now. */
  synchronized int size() {
    return columns.values().stream().mapToInt(OwnedColumn::size).sum();
  }

  /**
   * Other owners have been published: whatever is used is asked for again, and used until it is
   * answered.
   */
  synchronized void outdate() {
    long before = nanos.getAsLong() - REFRESH_NANOS;
    for (OwnedColumn column : columns.values()) {
      column.outdate(before);
      column.show();
    }
  }

  /** Forgets everything. */
  synchronized void clear() {
    questions.clear();
    columns.clear();
  }

  /**
   * Asks the questions that there are now.
   *
   * @throws SQLException when the server cannot be asked; the questions are not asked again unless
   *     the values come again
   */
  synchronized void fill(KeyOwnerSource server) throws SQLException {
    Set<OwnedColumn> changed = new HashSet<>();
    try {
      for (int left = MOST_QUESTIONS; left > 0; left--) {
        Question question = questions.poll();
        OwnedColumn column = question == null ? null : columns.get(question.column());
        if (question == null) {
          return;
        }
        long now = nanos.getAsLong();
        if (column == null) {
          continue;
        }
        long age = now - column.toldNanos(question.value(), now);
        if (age >= REFRESH_NANOS && (age < LASTS_NANOS || hasRoom(now))) {
          changed.add(column);
          ask(server, question, column);
        }
      }
    } finally {
      bound();
      changed.forEach(OwnedColumn::show);
    }
  }

  private void ask(KeyOwnerSource server, Question question, OwnedColumn column)
      throws SQLException {
    String name = question.column();
    int dot = name.indexOf('.');
    long now = nanos.getAsLong();
    try {
      String answer =
          server.owners(
              quoted(name.substring(0, dot)), name.substring(dot + 1), question.value().toString());
      answers.increment();
      if (answer == null) {
        column.clear(now + LONG_PAUSE_NANOS);
      } else {
        column.pause(column.take(answer, now) ? now : now + SHORT_PAUSE_NANOS);
      }
    } catch (SQLException e) {
      column.clear(now + LONG_PAUSE_NANOS);
      String state = e.getSQLState();
      if (state == null || state.startsWith("08") || state.startsWith("57")) {
        throw e;
      }
      // No such function, table or right: then there are no hints.
      LOG.log(Level.FINE, "the server tells no owners of keys", e);
    } catch (IllegalArgumentException e) {
      column.clear(now + LONG_PAUSE_NANOS);
      LOG.log(Level.FINE, "the owners of keys cannot be read", e);
    }
  }

  private static String quoted(String table) {
    return '"' + table.replace("\"", "\"\"") + '"';
  }

  /**
   * Whether ranges may be added. When there are too many, those that are known stay, and are asked
   * for again: new ones in their place would be gone, too, before they are used.
   */
  private boolean hasRoom(long now) {
    if (size() + MOST_ANSWERED > MOST_RANGES) {
      columns.values().forEach(column -> column.forgetOld(now));
    }
    return size() + MOST_ANSWERED <= MOST_RANGES;
  }

  private void bound() {
    while (size() > MOST_RANGES) {
      OwnedColumn largest =
          columns.values().stream().max(Comparator.comparingInt(OwnedColumn::size)).orElseThrow();
      largest.clear(nanos.getAsLong());
      largest.show();
    }
  }
}
