package io.gauss.memory.holder;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.runtime.Environment;
import io.gauss.common.runtime.InOrder;
import io.gauss.memory.coherence.DirectoryEvent;
import io.gauss.memory.coherence.HolderAction;
import io.gauss.memory.coherence.HolderEvent;
import io.gauss.memory.coherence.HolderPage;
import io.gauss.memory.coherence.HolderPage.Goal;
import io.gauss.memory.coherence.HolderPage.Right;
import io.gauss.memory.coherence.HolderTable;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.coherence.Slots;
import io.gauss.memory.holder.PageFrames.Source;
import io.gauss.memory.wire.FromHolder;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.Outbox;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pages that one lane of this compute node holds. Turns the needs of threads and the messages
 * of other nodes into events of {@link HolderTable}, and its actions into changes of frames and
 * messages.
 *
 * <p>While a page is read from a page store, all other events of it wait, so that getting the right
 * and getting the bytes are one step.
 *
 * <p>Belongs to the lane's thread.
 */
public final class PageHolders {
  private static final Logger LOG = LoggerFactory.getLogger(PageHolders.class);

  private final int self;
  private final PageFrames frames;
  private final HolderMessages messages;
  private final GivingTimes giving;

  /** Pages whose state is not completely in their frames. */
  private final Map<Long, HolderPage> unsettled = new HashMap<>();

  /** Postponed events of pages that are being read. */
  private final Map<Long, ArrayDeque<Runnable>> loading = new HashMap<>();

  private final Map<Integer, Home> homes = new HashMap<>();

  /** When pages that have not arrived were first requested, by a monotonic clock. */
  private final Map<Long, Long> wantedSince = new HashMap<>();

  /** Epochs of the present nodes, by slot; 0 = no node. */
  private final int[] epochs = new int[Slots.MAX + 1];

  /** The same, and of nodes that are gone the last ones. */
  private final int[] newestEpochs = new int[Slots.MAX + 1];

  /** This node's knowledge of a bucket's home. */
  private static final class Home {
    private long epoch;
    private final Map<Integer, Long> floors = new TreeMap<>();
  }

  /**
   * @param self slot of this node
   */
  public PageHolders(int self, PageFrames frames, Outbox out) {
    this.self = self;
    this.frames = frames;
    this.messages = new HolderMessages(out, bucket -> home(bucket).epoch, epochs, newestEpochs);
    this.giving = new GivingTimes(Environment::nanoTime, frames.transfers());
  }

  // ---- what this node wants

  /** A thread needs the page; it is notified through {@link PageFrames#arrived}. */
  public void need(long page, Mode mode) {
    inTurn(page, () -> needNow(page, mode));
  }

  private void needNow(long page, Mode mode) {
    HolderPage now = page(page);
    if (mode == Mode.READ ? now.mayRead() : now.mayWrite()) {
      frames.arrived(page, null); // has arrived since the thread checked
    } else {
      step(page, new HolderEvent.Need(mode));
      if (page(page).want() != null) {
        wantedSince.putIfAbsent(page, Environment.nanoTime());
      }
    }
  }

  /**
   * Gives up requests that are at least this old: the threads that wait for the pages get the
   * error. A page that still arrives is given back.
   */
  public void expire(long nanos, LongFunction<GaussException> why) {
    long now = Environment.nanoTime();
    for (Map.Entry<Long, Long> one : List.copyOf(wantedSince.entrySet())) {
      long page = one.getKey();
      if (now - one.getValue() > nanos && !loading.containsKey(page)) {
        step(page, new HolderEvent.Denied());
        wantedSince.remove(page); // also if this node, as owner, must first give it away
        frames.failed(page, why.apply(page));
      }
    }
  }

  /**
   * A thread needs to write the page, and wants it to stay here until the frames report that its
   * turn is over. The page may be here already. The thread is notified through {@link
   * PageFrames#arrived}.
   */
  public void retain(long page) {
    inTurn(
        page,
        () -> {
          HolderPage before = page(page);
          step(page, new HolderEvent.Retain());
          if (before.mayWrite()) {
            boolean isOthersTurn = before.goal() == Goal.TURN;
            frames.arrived(page, isOthersTurn ? null : turnOver(page));
          }
        });
  }

  private Runnable turnOver(long page) {
    return () -> inTurn(page, () -> step(page, new HolderEvent.TurnOver()));
  }

  /** The frame is needed for another page. */
  public void evict(long page) {
    inTurn(
        page,
        () -> {
          if (page(page).goal() == Goal.TURN) {
            frames.turnWanted(page);
          }
          step(page, new HolderEvent.Evict());
        });
  }

  /** How the page is held. */
  public HolderPage page(long page) {
    HolderPage known = unsettled.get(page);
    return known != null ? known : frames.held(page);
  }

  /** Whether the page is being read from a page store into its frame. */
  public boolean isLoading(long page) {
    return loading.containsKey(page);
  }

  /** Pages with an operation under way or a pending request. */
  public List<Long> busy() {
    Set<Long> busy = new TreeSet<>(loading.keySet());
    unsettled.forEach(
        (page, now) -> {
          boolean isUnderWay = now.goal() != Goal.KEEP && !isTurnUnwanted(now);
          if (now.want() != null || isUnderWay || now.right() == Right.LEAVING) {
            busy.add(page);
          }
        });
    return List.copyOf(busy);
  }

  /** Nobody waits for the end of this turn, which may not have been noticed yet. */
  private static boolean isTurnUnwanted(HolderPage page) {
    return page.goal() == Goal.TURN && page.taker() == 0 && page.reads().isEmpty();
  }

  /** Number of pages and copies whose transfer is being timed. */
  int timed() {
    return giving.size();
  }

  // ---- members

  /**
   * A compute node is dead: from now on nothing from it is accepted (rule 10). Pages that are being
   * read follow when they have been loaded.
   */
  public void died(int slot) {
    epochs[slot] = 0;
    Set<Long> all = new TreeSet<>(unsettled.keySet());
    frames.forEachShared(all::add);
    for (long page : all) {
      inTurn(page, () -> step(page, new HolderEvent.Died(slot)));
    }
  }

  /** Another compute node is present from now on, in this epoch. */
  public void joined(int slot, int epoch) {
    epochs[slot] = epoch;
    newestEpochs[slot] = epoch;
  }

  /** False when the node of this epoch is no longer present. */
  private boolean isThere(int slot, int epoch) {
    return slot == self || epochs[slot] == epoch;
  }

  /** Reports to all the new homes in one scan of the frames, however many they are. */
  private void homesLost(Map<Integer, Long> epochs) {
    BitSet lost = new BitSet(PageBuckets.BUCKETS);
    epochs.forEach(
        (bucket, epoch) -> {
          Home home = home(bucket);
          if (epoch > home.epoch) {
            home.epoch = epoch;
            home.floors.clear();
            lost.set(bucket);
          }
        });
    if (lost.isEmpty()) {
      return;
    }
    Map<Integer, Set<Long>> pages = new TreeMap<>();
    LongConsumer found =
        page -> pages.computeIfAbsent(PageBuckets.of(page), b -> new TreeSet<>()).add(page);
    unsettled.keySet().stream()
        .filter(page -> lost.get(PageBuckets.of(page)))
        .forEach(found::accept);
    frames.forEach(lost, found);
    lost.stream()
        .forEach(
            bucket -> {
              pages
                  .getOrDefault(bucket, Set.of())
                  .forEach(page -> step(page, new HolderEvent.HomeLost()));
              messages.reported(bucket, frames.stream(), frames.durableEnd());
            });
  }

  private void askAgain(int bucket) {
    for (long page : List.copyOf(unsettled.keySet())) {
      if (PageBuckets.of(page) == bucket) {
        inTurn(page, () -> step(page, new HolderEvent.AskAgain()));
      }
    }
  }

  // ---- what others say

  /**
   * Processes a node's claim that it is the home of these buckets from now on.
   *
   * @param epochs of the homes, by bucket
   */
  public void homes(Map<Integer, Long> epochs) {
    Map<Integer, Long> now = new TreeMap<>(epochs);
    for (long page : loading.keySet()) {
      int bucket = PageBuckets.of(page);
      Long epoch = now.remove(bucket);
      if (epoch != null) {
        whenLoaded(bucket, () -> homesLost(Map.of(bucket, epoch)));
      }
    }
    homesLost(now);
  }

  /** Takes a message of a page's home, and its bytes. */
  public void fromHome(FromHome message) {
    switch (message) {
      case FromHome.Home home -> homes(Map.of(home.bucket(), home.homeEpoch()));
      case FromHome.AskAgain again -> {
        if (isOfNow(again)) {
          askAgain(again.bucket());
        }
      }
      case FromHome.Floor floor -> {
        if (isOfNow(floor)) {
          home(floor.bucket()).floors.merge(floor.stream(), floor.offset(), Math::max);
        }
      }
      case FromHome.OfPage ofPage ->
          inTurn(
              ofPage.page(),
              () -> {
                if (isOfNow(ofPage)) {
                  fromHomeNow(ofPage);
                } else {
                  ofPage.release();
                }
              });
    }
  }

  /** False when the bucket has another home now. */
  private boolean isOfNow(FromHome message) {
    return message.homeEpoch() == home(message.bucket()).epoch;
  }

  /** Runs the action when no page of the bucket is being read. */
  private void whenLoaded(int bucket, Runnable action) {
    for (Map.Entry<Long, ArrayDeque<Runnable>> page : loading.entrySet()) {
      if (PageBuckets.of(page.getKey()) == bucket) {
        page.getValue().addFirst(() -> whenLoaded(bucket, action));
        return;
      }
    }
    action.run();
  }

  private Home home(int bucket) {
    return homes.computeIfAbsent(bucket, b -> new Home());
  }

  private void fromHomeNow(FromHome.OfPage message) {
    long page = message.page();
    switch (message) {
      case FromHome.Grant grant -> granted(grant);
      case FromHome.Share share -> {
        // A dead reader would never confirm that it dropped its copy.
        if (isThere(share.reader(), share.readerEpoch())) {
          giving.shareOrdered(page, share.reader(), share.waitedNanos());
          step(page, new HolderEvent.Share(share.reader(), share.number()));
        }
      }
      case FromHome.Transfer transfer -> {
        if (isThere(transfer.taker(), transfer.takerEpoch())) {
          giving.ordered(page, transfer.waitedNanos());
          step(page, new HolderEvent.Transfer(transfer.taker(), transfer.number()));
        }
      }
      case FromHome.NoRoom none -> {
        Mode wanted = page(page).want();
        step(page, new HolderEvent.Denied());
        frames.noRoom(
            page,
            wanted,
            new GaussException(
                    SqlState.OUT_OF_MEMORY,
                    "no room for page " + PageId.toString(page) + " in the page directory")
                .hint("Raise directory.entries of the memory nodes, or add one."));
      }
      case FromHome.Confirmed confirmed ->
          step(page, new HolderEvent.Confirmed(confirmed.number()));
      case FromHome.Revoke revoke ->
          step(page, new HolderEvent.Revoke(HolderPage.HOME, revoke.number()));
      case FromHome.Ask ask -> step(page, new HolderEvent.Asked(ask.number()));
      case FromHome.Trace trace -> {
        if (isThere(trace.taker(), trace.takerEpoch())) {
          step(page, new HolderEvent.Traced(trace.taker(), trace.number()));
        }
      }
    }
  }

  private void granted(FromHome.Grant grant) {
    long page = grant.page();
    HolderEvent.Granted event = new HolderEvent.Granted(grant.owned(), grant.number());
    HolderPage now = page(page);
    boolean isUsed = now.want() != null && (grant.owned() || now.right() == Right.NONE);
    boolean isHere = now.right() == Right.SHARED; // the same bytes, which have not changed
    if (!isUsed || grant.bytes() != null || isHere) {
      Source source = grant.bytes() == null ? Source.HERE : Source.HOME;
      take(page, event, grant.lsn(), grant.bytes(), source, 0);
      return;
    }
    loading.put(page, new ArrayDeque<>());
    frames
        .load(page, grant.lsn(), InOrder.copyOf(home(grant.bucket()).floors))
        .whenComplete((done, failure) -> loaded(page, event, failure));
  }

  /** On the lane's thread. */
  private void loaded(long page, HolderEvent.Granted event, Throwable failure) {
    if (failure != null) {
      LOG.error("page {} cannot be read from storage; its right is given back", page, failure);
      forget(page);
    }
    ArrayDeque<Runnable> later = loading.remove(page);
    HolderPage before = page(page);
    HolderTable.Step step = HolderTable.step(before, event, self, frames.lsn(page));
    came(page, before, step, Source.STORAGE, 0);
    done(page, before, step);
    while (!later.isEmpty() && !loading.containsKey(page)) {
      later.poll().run();
    }
    if (!later.isEmpty()) {
      loading.get(page).addAll(later);
    }
  }

  /** The page is no longer needed; if it still arrives it is given back at once. */
  private void forget(long page) {
    unsettled.remove(page);
    wantedSince.remove(page);
  }

  /** Takes a message of another compute node in this epoch, and its bytes. */
  public void fromCompute(int slot, int epoch, FromHolder message) {
    inTurn(
        message.page(),
        () -> {
          if (epochs[slot] == epoch) {
            fromComputeNow(slot, message);
          } else {
            message.release();
          }
        });
  }

  private void fromComputeNow(int slot, FromHolder message) {
    long page = message.page();
    long number = message.number();
    switch (message) {
      case FromHolder.Copy copy -> take(copy, new HolderEvent.Copy(slot, number));
      case FromHolder.Given given -> take(given, new HolderEvent.Given(slot, number));
      case FromHolder.RevokeCopy revoke -> step(page, new HolderEvent.Revoke(slot, number));
      case FromHolder.CopyDropped dropped -> step(page, new HolderEvent.Revoked(slot, number));
      case FromHolder.Probe probe -> step(page, new HolderEvent.Probed(number));
    }
  }

  private void take(FromHolder.WithPage message, HolderEvent event) {
    take(message.page(), event, message.lsn(), message.bytes(), Source.COMPUTE, message.times());
  }

  /**
   * Takes a right and the bytes that come with it.
   *
   * @param bytes null = they are here already; released
   * @param times see {@link io.gauss.memory.wire.TransferTimes}; 0 unless from a compute node
   */
  private void take(
      long page, HolderEvent event, long lsn, ByteBuf bytes, Source source, long times) {
    try {
      HolderPage before = page(page);
      HolderTable.Step step =
          HolderTable.step(before, event, self, Math.max(lsn, frames.lsn(page)));
      boolean isTaken =
          step.page().mayRead()
              && (step.page().right() != before.right() || step.page().number() != before.number());
      if (isTaken && bytes != null) {
        try {
          frames.install(page, bytes);
        } catch (GaussException e) {
          refuse(page, event, lsn, e);
          return;
        }
      }
      came(page, before, step, source, times);
      done(page, before, step);
    } finally {
      if (bytes != null) {
        bytes.release();
      }
    }
  }

  /**
   * The bytes cannot be used. A page that came with ownership goes to its home. If it was damaged,
   * this node asks for it again, also after a copy of the home's. A copy from its owner is not
   * asked for again: the waiting threads get the error.
   */
  private void refuse(long page, HolderEvent arrival, long lsn, GaussException why) {
    LOG.error("the bytes of a page that came are not used", why);
    if (why.state() == SqlState.FEATURE_NOT_SUPPORTED) {
      step(page, new HolderEvent.Denied()); // page stores have it in the same format
    }
    step(
        page,
        switch (arrival) {
          case HolderEvent.Given given ->
              new HolderEvent.Spoiled(true, given.giver(), given.number(), lsn);
          case HolderEvent.Granted granted ->
              new HolderEvent.Spoiled(granted.owned(), HolderPage.HOME, granted.number(), lsn);
          case HolderEvent.Copy copy ->
              new HolderEvent.Spoiled(false, copy.owner(), copy.number(), lsn);
          default -> throw Invariant.broken("no page comes with " + arrival);
        });
    if (page(page).want() == null) {
      wantedSince.remove(page);
      frames.failed(page, why);
    }
  }

  /** Something has arrived that may satisfy a request. */
  private void came(
      long page, HolderPage before, HolderTable.Step step, Source source, long times) {
    if (before.want() != null && step.page().want() == null) {
      Long since = wantedSince.remove(page);
      if (since != null) {
        frames.transfers().came(page, source, before.want(), Environment.nanoTime() - since, times);
      }
    }
  }

  // ---- steps

  private void inTurn(long page, Runnable action) {
    ArrayDeque<Runnable> queue = loading.get(page);
    if (queue == null) {
      action.run();
    } else {
      queue.add(action);
    }
  }

  private void step(long page, HolderEvent event) {
    HolderPage before = page(page);
    done(page, before, HolderTable.step(before, event, self, frames.lsn(page)));
  }

  private void done(long page, HolderPage before, HolderTable.Step step) {
    HolderPage after = step.page();
    if (before.want() != null && after.want() == null) {
      wantedSince.remove(page);
    }
    giving.step(page, before, step);
    // No message is sent before the frame has changed. A page that leaves is copied before the
    // change: no thread has written it since the decision. A page that stays is copied after the
    // change, when no thread writes it any more: the reader would never learn of a write between
    // the copy and the change.
    boolean stays = after.right() == Right.OWNED;
    List<PageBytes> pages = stays ? List.of() : copies(page, step.actions());
    if (!after.equals(before)) {
      if (after.isSettled() && after.right() != Right.LEAVING) {
        unsettled.remove(page);
      } else {
        unsettled.put(page, after);
      }
      frames.change(page, after);
    }
    if (stays) {
      pages = copies(page, step.actions());
    }
    int next = 0;
    for (HolderAction action : step.actions()) {
      PageBytes copy = null;
      if (hasBytes(action)) {
        copy = pages.get(next++);
      }
      perform(page, action, copy);
    }
    boolean mayReadNow = after.mayRead() && !before.mayRead();
    boolean mayWriteNow = after.mayWrite() && !before.mayWrite();
    if (mayReadNow || mayWriteNow) {
      frames.arrived(page, after.goal() == Goal.TURN ? turnOver(page) : null);
    }
    if (after.goal() == Goal.TURN && !isTurnUnwanted(after)) {
      frames.turnWanted(page);
    }
  }

  private static boolean hasBytes(HolderAction action) {
    return action instanceof HolderAction.Send
        || action instanceof HolderAction.Tell tell
            && tell.what() instanceof DirectoryEvent.Release release
            && release.hasBytes();
  }

  private List<PageBytes> copies(long page, List<HolderAction> actions) {
    List<PageBytes> copies = new ArrayList<>(1);
    for (HolderAction action : actions) {
      if (hasBytes(action)) {
        copies.add(new PageBytes(frames.lsn(page), frames.copy(page)));
      }
    }
    return copies;
  }

  private void perform(long page, HolderAction action, PageBytes copy) {
    switch (action) {
      case HolderAction.Tell tell -> messages.tellHome(page, tell.what(), copy);
      case HolderAction.Send send -> messages.give(page, send, giving.sending(page, send), copy);
      case HolderAction.Revoke revoke ->
          messages.toCompute(revoke.reader(), new FromHolder.RevokeCopy(page, revoke.number()));
      case HolderAction.Revoked revoked ->
          messages.toCompute(revoked.owner(), new FromHolder.CopyDropped(page, revoked.number()));
      case HolderAction.Probe probe ->
          messages.toCompute(probe.taker(), new FromHolder.Probe(page, probe.number()));
      case HolderAction.AwaitDurable await -> {
        long lsn = frames.lsn(page);
        frames.whenDurable(page, () -> inTurn(page, () -> durable(page, lsn)));
      }
      case HolderAction.Report report -> messages.report(page, report.what());
    }
  }

  /** Ignored if the page has been written since: then it was not given away after all. */
  private void durable(long page, long lsn) {
    if (frames.lsn(page) == lsn) {
      step(page, new HolderEvent.Durable());
    }
  }
}
