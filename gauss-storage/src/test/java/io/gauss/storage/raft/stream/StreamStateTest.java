package io.gauss.storage.raft.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The rules of a stream, one command at a time and in random histories. */
class StreamStateTest {
  private static final int STREAM = 4;

  private final StreamState state = new StreamState(STREAM);
  private long raftIndex;

  private static StreamEntry entry(byte[] bytes) {
    return StreamEntryLayout.read(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
  }

  private static StreamEntry append(int epoch, long offset, int length, long lsn) {
    byte[] payload = new byte[length];
    new Random(lsn).nextBytes(payload);
    return entry(
        StreamEntryLayout.append(STREAM, epoch, offset, lsn, lsn, 0, ByteBuffer.wrap(payload)));
  }

  private static StreamEntry command(StreamEntry.Command command) {
    return entry(StreamEntryLayout.command(command));
  }

  private StreamAnswer apply(StreamEntry entry) {
    return state.apply(++raftIndex, entry);
  }

  @Test
  void anAppendCountsOnlyAtTheEnd() {
    assertEquals(new StreamAnswer.Appended(10), apply(append(1, 0, 10, 1)));
    assertEquals(new StreamAnswer.WrongOffset(10), apply(append(1, 11, 5, 2)));
    assertEquals(new StreamAnswer.WrongOffset(10), apply(append(1, 5, 10, 3)));
    assertEquals(new StreamAnswer.Appended(15), apply(append(1, 10, 5, 4)));
  }

  @Test
  void aRepeatIsKnownByItsBytesAndNotByItsPlaceAlone() {
    apply(append(1, 0, 10, 1));
    apply(append(1, 10, 10, 2));
    assertEquals(new StreamAnswer.Appended(10), apply(append(1, 0, 10, 1)));
    assertEquals(new StreamAnswer.WrongOffset(20), apply(append(1, 0, 10, 99)));
    assertEquals(new StreamAnswer.WrongOffset(20), apply(append(1, 0, 9, 1)));
    assertEquals(2, state.index().count());
  }

  @Test
  void aSealFencesLowerEpochsAndLeavesItsOwn() {
    apply(append(1, 0, 10, 1));
    assertEquals(
        new StreamAnswer.State(new StreamInfo(0, 10, 1, 3)),
        apply(command(new StreamEntry.Seal(STREAM, 3))));
    assertEquals(new StreamAnswer.Fenced(3), apply(append(2, 10, 5, 2)));
    assertEquals(new StreamAnswer.Fenced(3), apply(command(new StreamEntry.Seal(STREAM, 2))));
    assertEquals(new StreamAnswer.Appended(15), apply(append(3, 10, 5, 3)));
  }

  @Test
  void anEpochHasOneWriter() {
    StreamAnswer opened = new StreamAnswer.State(new StreamInfo(0, 0, 0, 5));
    assertEquals(opened, apply(command(new StreamEntry.Open(STREAM, 5, 111))));
    assertEquals(
        opened, apply(command(new StreamEntry.Open(STREAM, 5, 111))), "the same once more");
    assertEquals(new StreamAnswer.Fenced(5), apply(command(new StreamEntry.Open(STREAM, 5, 222))));
    apply(append(6, 0, 10, 1));
    assertEquals(
        new StreamAnswer.Fenced(6),
        apply(command(new StreamEntry.Open(STREAM, 6, 333))),
        "who has written in an epoch has it");
  }

  @Test
  void aSealedEpochCanStillBeOpened() {
    apply(command(new StreamEntry.Seal(STREAM, 7)));
    assertEquals(
        new StreamAnswer.State(new StreamInfo(0, 0, 0, 7)),
        apply(command(new StreamEntry.Open(STREAM, 7, 1))));
  }

  @Test
  void aTrimEndsBelowAllSubscriptions() {
    apply(append(1, 0, 100, 1));
    assertEquals(
        new StreamAnswer.Subscribed(0, 90, 60),
        apply(command(new StreamEntry.Subscribe(STREAM, 7, 90, 60))));
    apply(command(new StreamEntry.Subscribe(STREAM, 8, 91, 40)));
    assertEquals(start(40), apply(command(new StreamEntry.Trim(STREAM, 0, 80))));
    assertEquals(
        new StreamAnswer.Subscribed(40, 91, 70),
        apply(command(new StreamEntry.Raise(STREAM, 8, 91, 70))));
    assertEquals(start(60), apply(command(new StreamEntry.Trim(STREAM, 0, 80))));
    assertEquals(
        new StreamAnswer.Subscribed(60, -1, -1),
        apply(command(new StreamEntry.Unsubscribe(STREAM, 7, 90))));
    assertEquals(start(70), apply(command(new StreamEntry.Trim(STREAM, 0, 80))));
  }

  private static StreamAnswer start(long offset) {
    return new StreamAnswer.State(new StreamInfo(offset, 100, 1, 1));
  }

  @Test
  void aSubscriptionBeginsWhereTheLogDoesAndEndsWithIt() {
    apply(append(1, 0, 100, 1));
    apply(command(new StreamEntry.Trim(STREAM, 0, 80)));
    assertEquals(
        new StreamAnswer.Subscribed(80, 90, 80),
        apply(command(new StreamEntry.Subscribe(STREAM, 7, 90, 60))));
    assertEquals(
        new StreamAnswer.Subscribed(80, 90, 100),
        apply(command(new StreamEntry.Raise(STREAM, 7, 90, 500))));
  }

  @Test
  void theLogIsNeededFromTheBatchThatHoldsTheOffset() {
    for (int i = 0; i < 5; i++) {
      apply(append(1, i * 10L, 10, i + 1));
    }
    assertTrue(state.dispensable(0) < 0, "everything");
    assertTrue(state.dispensable(9) < 0, "the first batch, too");
    assertEquals(2, state.dispensable(25));
    assertEquals(4, state.dispensable(50), "the last batch is kept");
    assertEquals(4, state.dispensable(Long.MAX_VALUE));
  }

  @Test
  void anEntryOfAnotherStreamIsNotApplied() {
    StreamEntry seal = command(new StreamEntry.Seal(STREAM + 1, 1));
    assertThrows(IllegalStateException.class, () -> apply(seal));
  }

  @Test
  void theIndexKnowsItsBatchesAlsoAfterItHasGrownAndForgotten() {
    Random random = new Random(1);
    List<long[]> model = new ArrayList<>();
    EntryIndex index = new EntryIndex();
    long end = 0;
    for (int i = 0; i < 20_000; i++) {
      int length = 1 + random.nextInt(100);
      index.add(end, end + length, i * 2L, i + 1, i);
      model.add(new long[] {end, end + length, i * 2L, i + 1});
      end += length;
      if (random.nextInt(3000) == 0) {
        int forgotten = random.nextInt(model.size());
        index.forgetUpTo(model.get(forgotten)[2]);
        model.subList(0, forgotten + 1).clear();
      }
    }
    assertEquals(model.size(), index.count());
    assertNull(index.holding(end));
    for (long[] batch : model) {
      EntryIndex.Position found = index.holding(batch[1] - 1);
      assertEquals(batch[0], found.offset());
      assertEquals(batch[1], found.end());
      assertEquals(batch[2], found.raftIndex());
      assertEquals(found, index.locate(batch[3]));
      assertEquals(found, index.lastUpTo(batch[2] + 1));
    }
    for (int last = 1; last <= model.size(); last++) {
      long[] batch = model.get(model.size() - last);
      assertEquals(batch[0], index.offsetOfLast(last));
      assertEquals(last, index.countFrom(batch[0]));
      assertEquals(last, index.countFrom(batch[1] - 1));
    }
    assertEquals(end, index.offsetOfLast(0));
    assertEquals(0, index.countFrom(end));
    assertEquals(model.size(), index.countFrom(0));
    assertEquals(model.getFirst()[0], index.offsetOfLast(model.size() + 1));
    if (model.getFirst()[0] > 0) {
      assertNull(index.holding(model.getFirst()[0] - 1));
    }
  }

  @Test
  void aSnapshotAndTheLogAfterItGiveTheSameStream() {
    for (long seed = 0; seed < 200; seed++) {
      checkSnapshots(seed);
    }
  }

  private static void checkSnapshots(long seed) {
    Random random = new Random(seed);
    StreamState whole = new StreamState(STREAM);
    List<StreamEntry> log = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      StreamEntry entry = randomEntry(random, whole);
      log.add(entry);
      whole.apply(i, entry);
    }
    long index = whole.dispensable((long) (random.nextDouble() * whole.info().end()));
    if (index < 0) {
      return;
    }
    StreamState again = new StreamState(STREAM);
    again.restore(whole.asOf(1, index));
    for (int i = (int) index + 1; i < log.size(); i++) {
      again.apply(i, log.get(i));
    }
    assertEquals(whole.info(), again.info(), "seed " + seed);
    assertEquals(whole.subscriptions(), again.subscriptions(), "seed " + seed);
    whole.forgetUpTo(index);
    assertEquals(whole.index().count(), again.index().count(), "seed " + seed);
    assertEquals(whole.index().start(), again.index().start(), "seed " + seed);
    for (long offset = whole.index().start(); offset < whole.info().end(); offset += 3) {
      assertEquals(whole.index().holding(offset), again.index().holding(offset), "seed " + seed);
    }
    for (int epoch = 1; epoch < 12; epoch++) {
      StreamEntry open = command(new StreamEntry.Open(STREAM, epoch, 12345));
      assertEquals(
          whole.apply(log.size() + epoch, open),
          again.apply(log.size() + epoch, open),
          "seed " + seed);
    }
  }

  private static StreamEntry randomEntry(Random random, StreamState state) {
    StreamInfo now = state.info();
    int epoch = Math.max(1, now.epoch() + random.nextInt(-1, 2) * (random.nextInt(8) == 0 ? 1 : 0));
    int node = random.nextInt(3);
    int tenure = random.nextInt(4);
    long offset = (long) (random.nextDouble() * now.end());
    return switch (random.nextInt(26)) {
      case 20, 21 -> command(new StreamEntry.Subscribe(STREAM, node, tenure, offset));
      case 22, 23 -> command(new StreamEntry.Raise(STREAM, node, tenure, offset));
      case 24 -> command(new StreamEntry.Unsubscribe(STREAM, node, tenure));
      case 0 -> command(new StreamEntry.Seal(STREAM, epoch));
      case 1 -> command(new StreamEntry.Open(STREAM, epoch, random.nextInt(1, 4)));
      case 2 -> command(new StreamEntry.Trim(STREAM, 0, offset));
      case 3 -> append(epoch, now.end() + random.nextInt(-3, 4), 5, now.lastLsn() + 1);
      default -> append(epoch, now.end(), 1 + random.nextInt(20), now.lastLsn() + 1);
    };
  }
}
