package io.gauss.compute.node;

import io.gauss.compute.cluster.clock.Arbiter;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.ClusterMember;
import io.gauss.storage.map.client.MapEpochGuard;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the cluster map which of two nodes that cannot reach each other continues. The callers
 * repeat failed requests. Thread-safe.
 */
final class MapArbiter implements Arbiter {
  private static final Logger LOG = LoggerFactory.getLogger(MapArbiter.class);
  private static final Duration PROPOSAL = Duration.ofSeconds(1);

  private final ClusterMapClient client;
  private final ClusterMember member;

  MapArbiter(ClusterMapClient client, ClusterMember member) {
    this.client = client;
    this.member = member;
  }

  @Override
  public void suspend(int node, int epoch, long known) {
    int own = member.epoch();
    LOG.warn("node {} does not answer: commits are to continue without it", node);
    propose(new MapCommand.Suspend(member.node(), own, node, epoch, known), own);
  }

  @Override
  public void resume(long number, int newestEpoch) {
    int own = member.epoch();
    propose(new MapCommand.Resume(member.node(), own, number, newestEpoch), own);
  }

  private void propose(MapCommand command, int ownEpoch) {
    if (ownEpoch == MapEpochGuard.UNREGISTERED) {
      return;
    }
    client
        .propose(command, PROPOSAL)
        .whenComplete(
            (result, failure) -> {
              if (failure != null) {
                LOG.debug("{} has no answer yet", command, failure);
              } else if (result instanceof MapResult.Refused refused) {
                LOG.debug("{} is refused: {}", command, refused.message());
              }
            });
  }

  @Override
  public void unreachable(int node, int epoch) {
    int own = member.epoch();
    if (own == MapEpochGuard.UNREGISTERED) {
      return;
    }
    client
        .reportUnreachable(member.node(), own, node, epoch)
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.debug("that node {} is silent could not be reported", node, failure);
              }
            });
  }
}
