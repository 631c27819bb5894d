package io.gauss.server;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Has a compute node end its sessions when they are idle, or a memory node give its buckets to the
 * others, and leave the cluster.
 */
@Command(
    name = "drain",
    description = {
      "Take a compute or memory node out of a cluster while the others serve.",
      "A compute node takes no more connections; its sessions end with 57P01 when they are idle"
          + " outside a transaction, or after drain.grace. A memory node's buckets move to the"
          + " others, some at a time. Returns once it is gone."
    },
    mixinStandardHelpOptions = true)
final class DrainCommand implements Callable<Integer> {
  private static final long SAY_SO_SECONDS = 5;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NODE", description = "Number of the node.")
  private int number;

  @Option(names = "--data", required = true, description = "Data directory of the cluster.")
  private Path data;

  @Override
  public Integer call() throws Exception {
    ClusterAccess access =
        ClusterAccess.find(data.toRealPath())
            .orElseThrow(
                () -> new RefusedException("no cluster of processes was started in " + data));
    try (MapAccess cluster = new MapAccess(access)) {
      MapNode node = find(cluster.map());
      boolean computes = node.has(Role.COMPUTE);
      if (!computes) {
        new MemoryRoom(cluster).check(number);
      }
      cluster.propose(new MapCommand.Drain(number, node.epoch()));
      String name = (computes ? "compute node " : "memory node ") + number;
      say(name + (computes ? " ends its sessions" : " gives its buckets to the others"));
      while (!cluster.await(map -> map.isDead(number, node.epoch()), SAY_SO_SECONDS)) {
        say(
            name
                + (computes
                    ? " still has sessions"
                    : " still has " + cluster.known().buckets().count(number) + " buckets"));
      }
      say(name + " has left the cluster");
    }
    return 0;
  }

  private MapNode find(ClusterMap map) {
    MapNode node =
        map.node(number)
            .filter(MapNode::isLive)
            .orElseThrow(() -> new RefusedException("no node " + number + " is in the cluster"));
    if (node.has(Role.STORAGE)) {
      throw new RefusedException(
          "node "
              + number
              + " is a storage node; put another one in its place by `gauss add --role storage"
              + " --replaces`, or `gauss join --replaces` on another machine");
    }
    Role role = node.has(Role.COMPUTE) ? Role.COMPUTE : Role.MEMORY;
    if (map.live(role).size() == 1) {
      throw new RefusedException(
          "node %d is the only %s node; stop the cluster by `gauss down`"
              .formatted(number, role.name().toLowerCase(Locale.ROOT)));
    }
    return node;
  }

  private void say(String what) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(what);
    out.flush();
  }
}
