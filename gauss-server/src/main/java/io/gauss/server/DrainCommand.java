package io.gauss.server;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Has a compute node end its sessions when they are idle, and go. */
@Command(
    name = "drain",
    description = {
      "Take a compute node out of a cluster of processes while the others serve.",
      "It takes no more connections; its sessions end with 57P01 when they are idle outside a"
          + " transaction, or after drain.grace. Returns once it is gone."
    },
    mixinStandardHelpOptions = true)
final class DrainCommand implements Callable<Integer> {
  private static final long SAY_SO_SECONDS = 5;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NODE", description = "Number of the compute node.")
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
      cluster.propose(new MapCommand.Drain(number, node.epoch()));
      say("compute node " + number + " ends its sessions");
      while (!cluster.await(map -> map.isDead(number, node.epoch()), SAY_SO_SECONDS)) {
        say("compute node " + number + " still has sessions");
      }
      say("compute node " + number + " has left the cluster");
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
          "node " + number + " is a storage node; put another one in its place by `gauss add`");
    }
    if (!node.has(Role.COMPUTE)) {
      throw new RefusedException(
          "node " + number + " is a memory node; stop its process, and others do its work");
    }
    if (map.live(Role.COMPUTE).size() == 1) {
      throw new RefusedException(
          "node " + number + " is the only compute node; stop the cluster by `gauss down`");
    }
    return node;
  }

  private void say(String what) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(what);
    out.flush();
  }
}
