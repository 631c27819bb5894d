package io.gauss.compute.txn;

import static io.gauss.compute.txn.Interleavings.counterExample;
import static io.gauss.compute.txn.Interleavings.step;
import static io.gauss.compute.txn.Interleavings.when;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.gauss.common.id.LamportClock;
import io.gauss.compute.cluster.clock.ClockTimes;
import io.gauss.compute.cluster.clock.ClockView;
import io.gauss.compute.txn.Interleavings.Run;
import io.gauss.compute.txn.Interleavings.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Rule 5 over all interleavings of the real view and clocks: whom a commit waits for is looked up
 * after it was reserved, and a joining node is installed before it is told a clock.
 */
class ReceiverRulesTest {
  private static final int EPOCH = 3;

  @Test
  void aNodeThatJoinsServesWithAClockAboveEveryCommitThatIsVisibleWithoutIt() {
    assertNull(counterExample(() -> joinsBesideACommit(true, true)));
  }

  @Test
  void whoeverLooksUpTheReceiversBeforeTheDurableLsnShowsACommitThatTheJoiningNodeMisses() {
    assertNotNull(counterExample(() -> joinsBesideACommit(false, true)));
  }

  @Test
  void whoeverTellsItsClockBeforeItInstallsTheReceiverShowsACommitThatItMisses() {
    assertNotNull(counterExample(() -> joinsBesideACommit(true, false)));
  }

  /** A commit is reserved, forced and evaluated while another node joins and serves. */
  private static Run joinsBesideACommit(boolean receiversAfterCsn, boolean installFirst) {
    LamportClock clock = new LamportClock(1, 1 << 8);
    LamportClock joining = new LamportClock(2, 0);
    ClockView[] view = {ClockView.alone(ClockTimes.DEFAULTS)};
    long[] csn = {Long.MAX_VALUE};
    long[] durable = {0};
    long[] forced = {0};
    long[] through = {0};
    long[] visible = {0};
    long[] told = {0};
    boolean[] serves = {false};
    List<Step> commit =
        List.of(step(() -> csn[0] = clock.next(1)), step(() -> durable[0] = csn[0]));
    Step looksAtTheLog = step(() -> forced[0] = durable[0]);
    Step looksAtTheOthers = step(() -> through[0] = view[0].through(0));
    Step shows = step(() -> visible[0] = Math.min(forced[0], through[0]));
    List<Step> evaluation =
        receiversAfterCsn
            ? List.of(looksAtTheLog, looksAtTheOthers, shows)
            : List.of(looksAtTheOthers, looksAtTheLog, shows);
    Step installs = step(() -> view[0] = view[0].install(2, EPOCH, 0));
    Step tells = step(() -> told[0] = clock.now());
    Step acknowledges =
        step(
            () -> {
              joining.observe(told[0]);
              serves[0] = true;
            });
    List<Step> join =
        installFirst
            ? List.of(installs, tells, acknowledges)
            : List.of(tells, installs, acknowledges);
    List<Step> others = List.of(when(() -> serves[0], () -> {}));
    return new Run(
        List.of(commit, evaluation, join, others),
        () -> visible[0] < csn[0] || joining.now() >= csn[0]);
  }
}
