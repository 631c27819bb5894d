package io.gauss.memory.holder;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.memory.coherence.HolderPage;
import io.gauss.memory.coherence.HolderPage.Goal;
import io.gauss.memory.coherence.HolderPage.Right;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.coherence.Slots;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.ToCompute;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/**
 * What a giver reports of a page's taker: of which life the home has to know whether it is over.
 */
class LeavingReportTest {
  private static final long PAGE = (7L << 32) + 1;
  private static final int BUCKET = PageBuckets.of(PAGE);
  private static final int TAKER = 2;

  private final List<ToHome> said = new ArrayList<>();
  private final PageHolders holders = new PageHolders(1, new OneLeavingPage(), new Said());

  private void assertReports(long home, int takerEpoch) {
    holders.fromHome(new FromHome.Home(home, BUCKET));
    ToHome.Leaving report = new ToHome.Leaving(home, PAGE, TAKER, takerEpoch, 5, 100);
    assertTrue(said.contains(report), said::toString);
  }

  @Test
  void theTakersLifeIsNamedAlsoWhenItIsOver() {
    holders.joined(TAKER, 3);
    assertReports(9, 3);
    holders.died(TAKER);
    assertReports(10, 3);
    holders.joined(TAKER, 7);
    assertReports(11, 7);
  }

  private final class Said implements Outbox {
    @Override
    public void toCompute(int slot, int epoch, ToCompute message) {
      message.release();
    }

    @Override
    public void toHome(int bucket, ToHome message) {
      said.add(message);
    }
  }

  /** A page that was sent to the taker; nothing else is asked of these frames. */
  private static final class OneLeavingPage implements PageFrames {
    @Override
    public HolderPage held(long page) {
      return new HolderPage(
          Right.LEAVING, 5, 0, Slots.NONE, 0, Goal.KEEP, TAKER, 5, List.of(), null);
    }

    @Override
    public long lsn(long page) {
      return 100;
    }

    @Override
    public void forEach(BitSet buckets, LongConsumer visitor) {
      visitor.accept(PAGE);
    }

    @Override
    public void forEachShared(LongConsumer visitor) {
      // There is none.
    }

    @Override
    public int stream() {
      return 1;
    }

    @Override
    public long durableEnd() {
      return 0;
    }

    @Override
    public void change(long page, HolderPage now) {
      throw new IllegalStateException("it stays as it is, not " + now);
    }

    @Override
    public ByteBuf copy(long page) {
      throw new IllegalStateException("no bytes are wanted");
    }

    @Override
    public void install(long page, ByteBuf bytes) {
      throw new IllegalStateException("no page comes");
    }

    @Override
    public CompletableFuture<Void> load(long page, long lsn, Map<Integer, Long> floors) {
      throw new IllegalStateException("no page is wanted");
    }

    @Override
    public void whenDurable(long page, Runnable action) {
      throw new IllegalStateException("it was durable when it was sent");
    }

    @Override
    public void arrived(long page, Runnable over) {
      throw new IllegalStateException("no page comes");
    }

    @Override
    public void turnWanted(long page) {
      throw new IllegalStateException("no page has come");
    }

    @Override
    public void failed(long page, GaussException why) {
      throw new IllegalStateException(why);
    }

    @Override
    public void noRoom(long page, Mode mode, GaussException why) {
      throw new IllegalStateException(why);
    }
  }
}
