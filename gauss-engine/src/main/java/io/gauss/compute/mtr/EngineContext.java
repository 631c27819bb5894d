package io.gauss.compute.mtr;

import io.gauss.common.id.PageId;
import io.gauss.common.invariant.Invariant;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.wait.Interrupts;
import io.gauss.compute.wait.PageStatistics;
import io.gauss.compute.wait.Waiter;
import io.gauss.compute.wait.Waits;
import java.util.Arrays;

/**
 * The state that one session (or one background task) has in the engine: its mini-transaction, and
 * the pages that it holds, which law 4 and the order of retained pages restrict. How it waits, what
 * interrupts it, and what it counts are separate parts: {@link #waits}, {@link #interrupts}, {@link
 * #pages}; layers above attach working state to it by {@link Attachment}.
 *
 * <p>One thread at a time uses it; it moves between threads with the session. Other threads may
 * call only {@link Interrupts#request} and {@link Waits#current}.
 */
public final class EngineContext implements Waiter {
  private final Mtr mtr;
  private final Interrupts interrupts = new Interrupts();
  private final Waits waits = new Waits(interrupts);
  private final PageStatistics pages = new PageStatistics(waits);
  private Object[] attachments = new Object[4]; // by key; as long as the highest one used
  private int pagesRetained;
  private long lastRetained; // while there are any
  private long dependency;

  public EngineContext(LogBuffer log) {
    this.mtr = new Mtr(this, log);
  }

  /** The context's only MTR; one at a time is open. */
  public Mtr mtr() {
    return mtr;
  }

  @Override
  public Waits waits() {
    return waits;
  }

  /** Cancelling, timeouts, shutdown. */
  public Interrupts interrupts() {
    return interrupts;
  }

  /** Its page accesses. */
  public PageStatistics pages() {
    return pages;
  }

  public void latched() {
    waits.latched();
  }

  public void unlatched() {
    waits.unlatched();
  }

  public int latchesHeld() {
    return waits.latchesHeld();
  }

  /**
   * As {@link Waits#beforeWait}, for a page and the right to it; also checks the order in which
   * pages are retained from other nodes, without which two nodes could wait for each other.
   */
  public void beforePage(long pageId) {
    waits.beforeWait();
    if (pagesRetained != 0 && pageId <= lastRetained) {
      throw Invariant.broken(
          "about to wait for page "
              + PageId.toString(pageId)
              + " with page "
              + PageId.toString(lastRetained)
              + " kept");
    }
  }

  /** A page is retained from other nodes, see {@code BufferPool.retain}. */
  public void pageRetained(long pageId) {
    pagesRetained++;
    lastRetained = pageId;
  }

  /** One page less is retained. All are released together. */
  public void pageReleased() {
    pagesRetained--;
    Invariant.check(pagesRetained >= 0, "a kept page released twice");
  }

  /** Number of pages retained; while there are any, locks are not waited for. */
  public int pagesRetained() {
    return pagesRetained;
  }

  Object attached(int index) {
    Object[] all = attachments;
    return index < all.length ? all[index] : null;
  }

  void attach(int index, Object state) {
    if (index >= attachments.length) {
      attachments = Arrays.copyOf(attachments, index + 1);
    }
    attachments[index] = state;
  }

  /**
   * Notes that what the session does from here on depends on a commit of this node: it has read
   * what that commit wrote, in a row or in memory. No answer of the session may leave before the
   * commit is visible (rule 38).
   *
   * @param lsn of the commit; 0 = none
   */
  public void dependOn(long lsn) {
    if (lsn > dependency) {
      dependency = lsn;
    }
  }

  /**
   * The highest LSN of a commit that the session's answers depend on; never goes back, since what
   * is visible once remains so. 0 = none.
   */
  public long dependency() {
    return dependency;
  }

  /** Gives back the buffer of the MTR, which the session does not need while it is idle. */
  public void idle() {
    mtr.releaseBuffer();
  }
}
