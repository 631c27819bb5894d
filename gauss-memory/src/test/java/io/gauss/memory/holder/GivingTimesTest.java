package io.gauss.memory.holder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.memory.coherence.HolderAction;
import io.gauss.memory.coherence.HolderEvent;
import io.gauss.memory.coherence.HolderPage;
import io.gauss.memory.coherence.HolderTable;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.holder.PageFrames.Source;
import io.gauss.memory.wire.TransferTimes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times of the steps in which the real table gives a page away. */
class GivingTimesTest {
  private static final long PAGE = 77;
  private static final int SELF = 1;
  private static final long QUEUED = 5_000;

  private final List<String> heard = new ArrayList<>();
  private final List<Long> sentTimes = new ArrayList<>();
  private final GivingTimes times = new GivingTimes(() -> this.now, new Heard());
  private long now = 1_000_000;
  private HolderPage page = HolderPage.owned(3);

  private final class Heard implements TransferListener {
    @Override
    public void came(long page, Source source, Mode mode, long nanos, long told) {
      throw new AssertionError("nothing comes");
    }

    @Override
    public void given(long page, long turn, long revoke, long force) {
      heard.add("given after turn %d, revoke %d, force %d".formatted(turn, revoke, force));
    }

    @Override
    public void confirmed(long page, long nanos) {
      heard.add("confirmed after " + nanos);
    }

    @Override
    public void copied(long page, long turn) {
      heard.add("copied after turn " + turn);
    }
  }

  private void step(HolderEvent event) {
    HolderTable.Step step = HolderTable.step(page, event, SELF, 9);
    times.step(PAGE, page, step);
    page = step.page();
    for (HolderAction action : step.actions()) {
      if (action instanceof HolderAction.Send send) {
        sentTimes.add(times.sending(PAGE, send));
      }
    }
  }

  private void after(long nanos, HolderEvent event) {
    now += nanos;
    step(event);
  }

  private void transferTo(int taker, long number) {
    times.ordered(PAGE, QUEUED);
    step(new HolderEvent.Transfer(taker, number));
  }

  private void shareTo(int reader, long number) {
    times.shareOrdered(PAGE, reader, QUEUED);
    step(new HolderEvent.Share(reader, number));
  }

  @Test
  void turnRevocationForceAndConfirmationAreTimedOneByOne() {
    shareTo(2, 4);
    step(new HolderEvent.Need(Mode.WRITE));
    after(1_000, new HolderEvent.Revoked(2, 4)); // the turn of who waited to write begins
    transferTo(3, 5);
    after(20_000, new HolderEvent.TurnOver());
    after(300_000, new HolderEvent.Durable());
    after(70_000, new HolderEvent.Confirmed(5));
    assertEquals(
        List.of(
            "copied after turn 0",
            "given after turn 20000, revoke 0, force 300000",
            "confirmed after 70000"),
        heard);
    assertEquals(QUEUED, TransferTimes.queuedNanos(sentTimes.getLast()));
    assertEquals(320_000, TransferTimes.heldNanos(sentTimes.getLast()));
    assertEquals(0, times.size());
  }

  @Test
  void readersThatHaveToDropTheirCopiesFirstAreTimed() {
    shareTo(2, 4);
    transferTo(3, 5);
    after(6_000, new HolderEvent.Revoked(2, 4));
    after(7_000, new HolderEvent.Durable());
    assertEquals("given after turn 0, revoke 6000, force 7000", heard.getLast());
  }

  @Test
  void aReaderThatWaitsForTheTurnOfOthersIsTimed() {
    page = HolderPage.ABSENT;
    step(new HolderEvent.Need(Mode.WRITE));
    step(new HolderEvent.Given(2, 4));
    shareTo(3, 5);
    after(9_000, new HolderEvent.TurnOver());
    assertEquals(List.of("copied after turn 9000"), heard);
    assertEquals(9_000, TransferTimes.heldNanos(sentTimes.getLast()));
    assertEquals(0, times.size());
  }

  @Test
  void whatStaysAfterAllOrIsRefusedIsForgotten() {
    transferTo(2, 5);
    step(new HolderEvent.Died(2));
    step(new HolderEvent.TurnOver());
    assertEquals(0, times.size());
    transferTo(3, 2); // of an earlier ownership
    assertEquals(0, times.size());
    transferTo(2, 6);
    shareTo(3, 7); // refused: the page is about to go
    step(new HolderEvent.Durable());
    step(new HolderEvent.Confirmed(6));
    shareTo(3, 8); // refused: it is gone
    assertEquals(0, times.size());
  }
}
