package io.gauss.jdbc.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class OwnedKeysTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final ReadStatement BY_ID = StatementReader.read("SELECT v FROM t WHERE id = ?");

  private long now;
  private int wakes;
  private final List<String> asked = new ArrayList<>();
  private String answer = "number\n\\N\t1\n100\t2\n200\t0\n";
  private SQLException failure;
  private final OwnedKeys keys = new OwnedKeys(() -> now);

  private int node(ReadStatement read, Object... values) {
    return keys.node(read, read.values(List.of(values)));
  }

  private int node(Object id) {
    return node(BY_ID, id);
  }

  private void fill() throws SQLException {
    keys.fill(
        (table, column, value) -> {
          asked.add(table + "." + column + "=" + value);
          if (failure != null) {
            throw failure;
          }
          return answer;
        });
  }

  @Test
  void aKeyThatIsMissedIsAskedForAndNotWaitedFor() throws SQLException {
    keys.onWanted(() -> wakes++);
    assertEquals(0, node(5L));
    assertEquals(1, wakes);
    fill();
    assertEquals(List.of("\"t\".id=5"), asked);
    assertEquals(1, node(5L));
    assertEquals(1, node(Long.MIN_VALUE));
    assertEquals(1, node(99L));
    assertEquals(2, node(100L));
    assertEquals(2, node("150"), "numbers may be bound as texts");
    assertEquals(0, node("no number"));
    assertEquals(0, node(2.5));
    assertEquals(1, wakes, "all of these are known, or can never be");
  }

  @Test
  void whatSeveralHaveMissedIsAskedOnce() throws SQLException {
    node(5L);
    fill();
    for (int i = 0; i < 100; i++) {
      assertEquals(0, node(300L + i));
    }
    answer = "number\n250\t3\n1000\t0\n";
    fill();
    assertEquals(List.of("\"t\".id=5", "\"t\".id=300"), asked);
    assertEquals(3, node(999L));
    assertEquals(0, node(1000L));
    assertEquals(2, node(150L), "what was known beside it stays");
    assertEquals(0, node(220L));
  }

  @Test
  void whatNobodyKnowsIsNotAskedForAtOnce() throws SQLException {
    answer = "number\n\\N\t1\n100\t0\n9223372036854775807\t0\n";
    node(150L);
    for (int i = 0; i < 100; i++) {
      fill();
      assertEquals(0, node(150L + i));
      assertEquals(1, node(99L));
    }
    assertEquals(1, asked.size());
    now += OwnedKeys.REFRESH_NANOS;
    node(150L);
    fill();
    assertEquals(2, asked.size());
  }

  @Test
  void whatIsOldIsAskedForAgainAndWhatIsOlderIsNotUsed() throws SQLException {
    node(5L);
    fill();
    now += OwnedKeys.REFRESH_NANOS;
    assertEquals(1, node(5L));
    now += SECOND;
    answer = "number\n\\N\t2\n";
    fill();
    assertEquals(2, node(5L));
    assertEquals(2, asked.size());
    now += OwnedKeys.LASTS_NANOS;
    assertEquals(0, node(5L));
  }

  /** As when something else is published, and all ranges of all columns are asked for again. */
  @Test
  void whatFindsNoRoomAmongTheQuestionsIsAskedLater() throws SQLException {
    node(5L);
    fill();
    now += OwnedKeys.REFRESH_NANOS;
    for (int i = 0; i < OwnedKeys.MOST_QUESTIONS; i++) {
      node(StatementReader.read("SELECT v FROM t%d WHERE id = ?".formatted(i)), 5L);
    }
    for (int i = 0; i < 100; i++) {
      assertEquals(1, node(5L));
    }
    fill();
    asked.clear();
    node(5L);
    fill();
    assertEquals(List.of("\"t\".id=5"), asked);
  }

  @Test
  void whatIsPublishedAnewIsAskedForAndUsedMeanwhile() throws SQLException {
    node(5L);
    fill();
    keys.outdate();
    assertEquals(1, node(5L));
    answer = "number\n\\N\t2\n";
    fill();
    assertEquals(2, node(5L));
    assertEquals(2, asked.size());
  }

  @Test
  void theFirstPredicateThatTellsCounts() throws SQLException {
    ReadStatement two = StatementReader.read("UPDATE t SET v = 1 WHERE kind = ? AND id = ?");
    node(two, 7L, 5L);
    keys.fill((table, column, value) -> column.equals("id") ? answer : null);
    assertEquals(1, node(two, 7L, 5L));
    ReadStatement upTo = StatementReader.read("SELECT v FROM t WHERE id < ?");
    assertEquals(0, node(upTo, 5L), "rows from the lowest on are anywhere");
    ReadStatement joined = StatementReader.read("SELECT 1 FROM t, u WHERE id = ?");
    assertEquals(0, node(joined, 5L), "which table's column it is, is not known");
    ReadStatement inserted = StatementReader.read("INSERT INTO t (id, v) VALUES (?, 0)");
    assertEquals(2, node(inserted, 120L));
  }

  @Test
  void aColumnThatTellsNothingIsLeftAloneForAMinute() throws SQLException {
    answer = null;
    node(5L);
    fill();
    assertFalse(keys.mayTell(BY_ID));
    node(6L);
    fill();
    assertEquals(1, asked.size());
    now += TimeUnit.MINUTES.toNanos(1);
    assertTrue(keys.mayTell(BY_ID));
    node(6L);
    fill();
    assertEquals(2, asked.size());
  }

  @Test
  void aServerThatKnowsNothingNowIsAskedAgainSoon() throws SQLException {
    answer = "number\n";
    node(5L);
    fill();
    node(5L);
    fill();
    assertEquals(1, asked.size());
    now += SECOND;
    answer = "number\n\\N\t2\n";
    node(5L);
    fill();
    assertEquals(2, node(5L));
  }

  @Test
  void whatAServerRefusesOrDoesNotKnowLeavesNoHint() throws SQLException {
    for (String state : List.of("42501", "42883", "42P01", "0A000")) {
      failure = new SQLException("no", state);
      node(5L);
      fill();
      assertEquals(0, node(5L), state);
      now += TimeUnit.MINUTES.toNanos(1);
    }
    failure = new SQLException("gone", "08006");
    node(5L);
    assertThrows(SQLException.class, this::fill);
    failure = null;
    answer = "nonsense";
    now += TimeUnit.MINUTES.toNanos(1);
    node(5L);
    fill();
    assertEquals(0, node(5L));
  }

  @Test
  void textsAreRangesToo() throws SQLException {
    answer = "text\n\\N\t1\nb\\tc\t2\nx\t0\n";
    node("anna");
    fill();
    assertEquals(1, node("anna"));
    assertEquals(1, node("b\ta"));
    assertEquals(2, node("b\tc"));
    assertEquals(2, node("clara"));
    assertEquals(0, node("xaver"));
    assertEquals(1, node(5L), "numbers may be bound for texts");
  }

  /** A server writes uuids in lower case, whatever the application does. */
  @Test
  void uuidsInCapitalsAreThoseInSmallLetters() throws SQLException {
    ReadStatement byName = StatementReader.read("UPDATE t SET v = 1 WHERE name = ?");
    String low = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
    String high = "C0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11";
    answer = "text\n\\N\t1\n%s\t2\nf%s\t0\n".formatted(low, low.substring(1));
    node(byName, high);
    fill();
    assertEquals(2, node(byName, high));
    assertEquals(2, node(byName, low));
    now += OwnedKeys.REFRESH_NANOS - 1;
    node(byName, "D" + high.substring(1));
    fill();
    assertEquals(1, asked.size(), "it is known");
    answer = "text\n\\N\t1\na\t2\nf\t0\n";
    now += OwnedKeys.LASTS_NANOS;
    node(byName, low);
    fill();
    assertEquals(1, node(byName, high), "other texts are in the order of their characters");
  }

  @Test
  void columnsThatNobodyUsesMakeRoomForOthers() throws SQLException {
    for (int i = 0; i < OwnedKeys.MOST_COLUMNS; i++) {
      node(StatementReader.read("SELECT v FROM t%d WHERE id = ?".formatted(i)), 5L);
      fill();
    }
    ReadStatement other = StatementReader.read("SELECT v FROM other WHERE id = ?");
    ReadStatement used = StatementReader.read("SELECT v FROM t7 WHERE id = ?");
    node(other, 5L);
    fill();
    assertEquals(0, node(other, 5L), "all of them may be used");
    now += OwnedKeys.LASTS_NANOS - 1;
    node(used, 5L);
    now += 1;
    node(other, 5L);
    fill();
    assertEquals(1, node(other, 5L));
    assertTrue(keys.column("t7.id") != null, "it is used");
    assertEquals(null, keys.column("t8.id"));
  }

  @Test
  void nothingGrowsWithoutBound() throws SQLException {
    for (int i = 0; i < 1000; i++) {
      node(StatementReader.read("SELECT v FROM t" + i + " WHERE id = ?"), 5L);
    }
    StringBuilder many = new StringBuilder("number\n");
    for (int i = 0; i < 1000; i++) {
      many.append(i).append('\t').append(1 + i % 2).append('\n');
    }
    answer = many.append("1000\t0\n").toString();
    for (int i = 0; i < 40; i++) {
      now += SECOND;
      for (int t = 0; t < OwnedKeys.MOST_COLUMNS; t++) {
        node(StatementReader.read("SELECT v FROM t" + t + " WHERE id = ?"), 5L);
      }
      fill();
      assertTrue(keys.size() <= OwnedKeys.MOST_RANGES, "" + keys.size());
    }
    assertTrue(keys.size() > OwnedKeys.MOST_RANGES / 2, "" + keys.size());
    int told = 0;
    for (int t = 0; t < OwnedKeys.MOST_COLUMNS; t++) {
      told += node(StatementReader.read("SELECT v FROM t" + t + " WHERE id = ?"), 5L) != 0 ? 1 : 0;
    }
    assertTrue(told > OwnedKeys.MOST_RANGES / 2 / 1000, "what is known stays: " + told);
    keys.clear();
    assertEquals(0, keys.size());
  }

  /** Answers about any parts of the values, in any order, against a map from each value to them. */
  @Test
  void agreesWithAMapOfSingleValues() throws SQLException {
    long seed = RandomGenerator.getDefault().nextLong();
    System.out.println("seed " + seed);
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    node(0L);
    answer = "number\n0\t0\n1\t0\n";
    fill();
    Map<Long, Integer> twin = new TreeMap<>();
    for (int step = 0; step < 500; step++) {
      long from = random.nextInt(200);
      List<Long> starts =
          random
              .longs(1 + random.nextInt(6), from, from + 1 + random.nextInt(40))
              .sorted()
              .distinct()
              .boxed()
              .toList();
      StringBuilder text = new StringBuilder("number\n");
      for (int i = 0; i < starts.size(); i++) {
        boolean isLast = i == starts.size() - 1;
        int told = isLast ? 0 : random.nextInt(4);
        text.append(starts.get(i)).append('\t').append(told).append('\n');
        for (long value = starts.get(i); !isLast && value < starts.get(i + 1); value++) {
          twin.put(value, told);
        }
      }
      answer = text.toString();
      now += OwnedKeys.REFRESH_NANOS / 1000;
      column().take(answer, now);
      column().show();
      for (long value = 0; value < 250; value++) {
        assertEquals(twin.getOrDefault(value, 0), node(value), "value " + value);
      }
    }
  }

  private OwnedColumn column() {
    return keys.column("t.id");
  }
}
