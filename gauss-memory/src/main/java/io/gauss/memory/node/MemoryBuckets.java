package io.gauss.memory.node;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.task.CloseStack;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.Transport;
import io.gauss.memory.directory.PageDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * First phase of a memory node's start: its transport, which does not listen yet, and a server for
 * each event loop, which has no bucket yet.
 *
 * @param links to compute nodes, over the transport
 * @param servers by event loop
 */
record MemoryBuckets(
    Transport transport, NodeIdentity self, ComputeLinks links, List<BucketServer> servers) {

  /** Maximum number of tasks that wait for a loop; beyond it, requests are refused. */
  private static final int QUEUE = 65_536;

  MemoryBuckets {
    servers = List.copyOf(servers);
  }

  /**
   * @param transport closed with this, before the loops, so that they receive nothing more
   * @param opened collects the resources to close
   */
  static MemoryBuckets open(
      MemoryNodeSettings settings, Transport transport, NodeIdentity self, CloseStack opened) {
    ComputeLinks links = new ComputeLinks(transport, self);
    List<BucketServer> servers = new ArrayList<>();
    try {
      int loops = settings.get(NodeSettingTable.MEMORY_EVENT_LOOPS);
      for (int i = 0; i < loops; i++) {
        servers.add(opened.add(server(settings, "gauss-memory-" + (i + 1), links, transport)));
      }
    } finally {
      opened.add(transport);
    }
    opened.add(links);
    return new MemoryBuckets(transport, self, links, servers);
  }

  private static BucketServer server(
      MemoryNodeSettings settings, String name, ComputeLinks links, Transport transport) {
    int loops = settings.get(NodeSettingTable.MEMORY_EVENT_LOOPS);
    return new BucketServer(
            name,
            QUEUE,
            new PageDirectory(
                name, Math.ceilDiv(settings.get(NodeSettingTable.DIRECTORY_ENTRIES), loops)),
            settings.get(NodeSettingTable.CACHE_SIZE) / loops,
            Math.ceilDiv(settings.get(NodeSettingTable.LOCKS_MAX), loops),
            links,
            transport.allocator())
        .start();
  }

  /** A sum over all servers. */
  long sum(ToLongFunction<BucketServer> value) {
    return servers.stream().mapToLong(value).sum();
  }
}
