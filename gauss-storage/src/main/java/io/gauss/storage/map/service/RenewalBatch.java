package io.gauss.storage.map.service;

import io.gauss.storage.map.codec.MapCommandCodec;
import io.gauss.storage.map.codec.MapResultCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.message.MapAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Gathers renewals while a proposal of earlier ones is under way, so that a large cluster's
 * renewals cost few log entries. Thread-safe.
 */
final class RenewalBatch {
  private final ReplicatedLog log;
  private final LongSupplier version;
  private List<Waiting> gathered = new ArrayList<>();
  private boolean underWay;

  private record Waiting(MapCommand.Renewal renewal, CompletableFuture<MapAnswer> answer) {}

  RenewalBatch(ReplicatedLog log, LongSupplier version) {
    this.log = log;
    this.version = version;
  }

  CompletableFuture<MapAnswer> add(MapCommand.Renewal renewal) {
    Waiting waiting = new Waiting(renewal, new CompletableFuture<>());
    List<Waiting> batch;
    synchronized (this) {
      gathered.add(waiting);
      batch = next();
    }
    propose(batch);
    return waiting.answer();
  }

  /** The renewals to propose now; empty when there are none, or a proposal is under way. */
  private synchronized List<Waiting> next() {
    if (underWay || gathered.isEmpty()) {
      return List.of();
    }
    underWay = true;
    List<Waiting> batch = gathered;
    gathered = new ArrayList<>();
    return batch;
  }

  private void propose(List<Waiting> batch) {
    if (batch.isEmpty()) {
      return;
    }
    MapCommand command = new MapCommand.RenewLeases(batch.stream().map(Waiting::renewal).toList());
    log.propose(MapCommandCodec.encode(command)).thenAccept(outcome -> done(batch, outcome));
  }

  private void done(List<Waiting> batch, ReplicatedLog.Proposed outcome) {
    List<Waiting> next;
    synchronized (this) {
      underWay = false;
      next = next();
    }
    propose(next);
    if (outcome instanceof ReplicatedLog.Proposed.Applied applied
        && MapResultCodec.decode(applied.result()) instanceof MapResult.Renewed renewed) {
      for (int i = 0; i < batch.size(); i++) {
        MapResult own = new MapResult.Renewed(List.of(renewed.answers().get(i)));
        batch.get(i).answer().complete(new MapAnswer.Result(own, version.getAsLong()));
      }
    } else {
      int leader = log.leader().orElse(0);
      batch.forEach(w -> w.answer().complete(new MapAnswer.NotLeader(leader)));
    }
  }
}
