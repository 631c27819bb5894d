package io.gauss.compute.sql.system;

import io.gauss.common.id.PageId;
import io.gauss.common.page.PageLayout;
import io.gauss.compute.buffer.PageKind;
import io.gauss.compute.buffer.PageTransfers;
import io.gauss.compute.buffer.SharedPages;
import io.gauss.compute.buffer.SpaceTransfers;
import io.gauss.compute.buffer.SpaceTransfers.Count;
import io.gauss.compute.buffer.TransferCause;
import io.gauss.compute.buffer.TransferPhase;
import io.gauss.compute.cluster.memory.PageOwners;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.wait.Latencies;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The node's pages: those in its buffer pool, and transfers from and to other nodes. */
final class PageRows {
  private static final double NANOS_PER_MS = 1e6;
  private static final SpaceOwner ALL = new SpaceOwner(null, null, "all");

  private PageRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("gauss.buffer", PageRows::buffer);
    sources.put("gauss.page_transfers", PageRows::transfers);
    sources.put("gauss.page_transfer_phases", PageRows::phases);
    sources.put("gauss.page_owners", PageRows::pageOwners);
    sources.put("gauss.sharers", PageRows::sharers);
  }

  // ---------------------------------------------------------------- the buffer pool

  private static void buffer(SystemState state, Consumer<Object[]> rows) {
    Map<Integer, SpaceOwner> owners = SpaceOwner.all(state);
    Map<Integer, Long> pages = new TreeMap<>();
    long used = 0;
    for (long pageId : state.node().residentPages()) {
      pages.merge(PageId.space(pageId), 1L, Long::sum);
      used++;
    }
    long frames = state.node().frames();
    pages.forEach((space, count) -> bufferRow(rows, SpaceOwner.of(owners, space), count, frames));
    bufferRow(rows, new SpaceOwner(null, null, "free"), Math.max(0, frames - used), frames);
  }

  private static void bufferRow(
      Consumer<Object[]> rows, SpaceOwner owner, long pages, long frames) {
    rows.accept(
        new Object[] {
          owner.schema(),
          owner.name(),
          owner.kind(),
          pages,
          pages * PageLayout.PAGE_BYTES,
          (double) pages / frames
        });
  }

  // ---------------------------------------------------------------- from and to other nodes

  private static void transfers(SystemState state, Consumer<Object[]> rows) {
    PageTransfers transfers = state.node().transfers();
    if (transfers == null) {
      return;
    }
    Map<Integer, SpaceOwner> owners = SpaceOwner.all(state);
    transfers
        .spaces()
        .forEach(
            (space, counts) -> {
              for (PageKind kind : PageKind.values()) {
                transferRow(rows, SpaceOwner.of(owners, space), kind, counts);
              }
            });
  }

  private static void transferRow(
      Consumer<Object[]> rows, SpaceOwner owner, PageKind kind, SpaceTransfers counts) {
    long all = 0;
    for (Count what : Count.values()) {
      all += counts.count(what, kind);
    }
    if (all == 0) {
      return;
    }
    boolean isLeaf = kind == PageKind.LEAF;
    rows.accept(
        new Object[] {
          owner.schema(),
          owner.name(),
          owner.kind(),
          kind.label(),
          counts.count(Count.COPY_IN, kind),
          counts.count(Count.OWNED_IN, kind),
          counts.bytesIn(kind),
          counts.count(Count.COPY_OUT, kind),
          counts.count(Count.OWNED_OUT, kind),
          counts.bytesOut(kind),
          counts.count(Count.FROM_MEMORY, kind),
          counts.count(Count.FROM_STORAGE, kind),
          isLeaf ? counts.count(TransferCause.SAME_ROW) : null,
          isLeaf ? counts.count(TransferCause.OTHER_ROW) : null,
          isLeaf ? counts.count(TransferCause.NEW_ROW) : null
        });
  }

  private static void pageOwners(SystemState state, Consumer<Object[]> rows) {
    PageOwners.Answer answer = state.await(state.node().pageOwners());
    Map<Integer, SpaceOwner> owners = SpaceOwner.all(state);
    answer
        .counts()
        .forEach(
            (key, pages) -> {
              SpaceOwner owner = SpaceOwner.of(owners, key.space());
              String holding = key.holding().name().toLowerCase(Locale.ROOT);
              Integer node = key.slot() == 0 ? null : key.slot();
              rows.accept(
                  new Object[] {owner.schema(), owner.name(), owner.kind(), holding, node, pages});
            });
    for (int silent : answer.silent()) {
      String what = "memory node " + silent + " does not answer";
      rows.accept(new Object[] {null, null, "not known", what, null, null});
    }
  }

  private static void sharers(SystemState state, Consumer<Object[]> rows) {
    Map<SharedPages.Key, Long> sharers = state.await(state.node().sharers());
    Map<Integer, SpaceOwner> owners = SpaceOwner.all(state);
    sharers.forEach(
        (key, pages) -> {
          SpaceOwner owner = SpaceOwner.of(owners, key.space());
          rows.accept(
              new Object[] {owner.schema(), owner.name(), owner.kind(), key.reader(), pages});
        });
  }

  private static void phases(SystemState state, Consumer<Object[]> rows) {
    PageTransfers transfers = state.node().transfers();
    if (transfers == null) {
      return;
    }
    Map<Integer, SpaceOwner> owners = SpaceOwner.all(state);
    phaseRows(rows, ALL, transfers.all());
    transfers
        .spaces()
        .forEach((space, counts) -> phaseRows(rows, SpaceOwner.of(owners, space), counts));
  }

  private static void phaseRows(Consumer<Object[]> rows, SpaceOwner owner, SpaceTransfers counts) {
    for (TransferPhase phase : TransferPhase.values()) {
      Latencies times = counts.phase(phase);
      long count = times.count();
      if (count != 0) {
        rows.accept(
            new Object[] {
              owner.schema(),
              owner.name(),
              owner.kind(),
              phase.label(),
              count,
              times.totalNanos() / NANOS_PER_MS / count,
              times.percentile(0.5) / NANOS_PER_MS,
              times.percentile(0.99) / NANOS_PER_MS,
              times.maxNanos() / NANOS_PER_MS
            });
      }
    }
  }
}
