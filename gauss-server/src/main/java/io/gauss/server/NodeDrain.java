package io.gauss.server;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import java.util.Locale;
import java.util.function.Consumer;

/** Takes a compute or memory node out of a cluster while the others serve. For one thread. */
final class NodeDrain {
  private static final long SAY_SO_SECONDS = 5;

  private final MapAccess cluster;
  private final Consumer<String> say;

  /**
   * @param say told what happens
   */
  NodeDrain(MapAccess cluster, Consumer<String> say) {
    this.cluster = cluster;
    this.say = say;
  }

  /**
   * Returns once the node is gone.
   *
   * @throws RefusedException when it cannot go
   */
  void run(int number) throws InterruptedException {
    MapNode node = find(cluster.map(), number);
    boolean computes = node.has(Role.COMPUTE);
    if (!computes) {
      new MemoryRoom(cluster).check(number);
    }
    cluster.propose(new MapCommand.Drain(number, node.epoch()));
    String name = (computes ? "compute node " : "memory node ") + number;
    say.accept(name + (computes ? " ends its sessions" : " gives its buckets to the others"));
    while (!cluster.await(map -> map.isDead(number, node.epoch()), SAY_SO_SECONDS)) {
      say.accept(
          name
              + (computes
                  ? " still has sessions"
                  : " still has " + cluster.known().buckets().count(number) + " buckets"));
    }
    say.accept(name + " has left the cluster");
  }

  private static MapNode find(ClusterMap map, int number) {
    MapNode node =
        map.node(number)
            .filter(MapNode::isLive)
            .orElseThrow(() -> new RefusedException("no node " + number + " is in the cluster"));
    if (node.has(Role.STORAGE)) {
      throw new RefusedException(
          "node "
              + number
              + " is a storage node; put another one in its place by `gauss add --role storage"
              + " --replaces`, or `gauss join --replaces` on another machine; `gauss remove` takes"
              + " out a whole machine");
    }
    Role role = node.has(Role.COMPUTE) ? Role.COMPUTE : Role.MEMORY;
    if (map.live(role).size() == 1) {
      throw new RefusedException(
          "node %d is the only %s node; stop the cluster by `gauss down`"
              .formatted(number, role.name().toLowerCase(Locale.ROOT)));
    }
    return node;
  }
}
