package io.gauss.storage.node;

import io.gauss.common.task.BackgroundTasks;
import io.gauss.common.task.CloseStack;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.raft.RaftCounts;
import io.gauss.storage.raft.stream.NetStreamTransport;
import io.gauss.storage.raft.stream.OtherReplicas;
import io.gauss.storage.remote.PageCopies;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Fourth phase of a storage node's start: it answers other nodes, and requests copies of data that
 * its disk has damaged.
 *
 * @param address at which other nodes reach it
 */
record StorageNetwork(
    NodeAddress address, GroupReconciler groups, PageRepair repair, StorageStatus status) {

  /** How long another storage node may take to return a copy of data that is damaged here. */
  private static final Duration COPY_WAIT = Duration.ofSeconds(1);

  /**
   * @param transports makes the transport of a node
   * @param tasks of the node, for its status
   * @param opened collects the resources to close
   */
  static StorageNetwork open(
      StorageNodeSettings settings,
      MeterRegistry registry,
      Function<TransportConfig, Transport> transports,
      LocalPageStore store,
      FollowedStreams followed,
      BackgroundTasks tasks,
      CloseStack opened) {
    RaftMembers members = followed.members();
    MapReplica map = members.map();
    RebuildService rebuilds =
        opened.add(
            new RebuildService(
                store, followed.checkpointer()::run, members.streams(), members.pins()));
    // Closing it ends the sends of rebuilds.
    Transport transport = opened.add(transports.apply(map.transport(registry)));
    ByteBufAllocator allocator = transport.allocator();
    Handlers handlers = new Handlers();
    new PageService(store, allocator).register(handlers);
    new StreamEndpoint(members.streams(), allocator).register(handlers);
    rebuilds.register(handlers, allocator);
    PagesProgressService progress =
        opened.add(new PagesProgressService(store, followed::lagNanos, allocator));
    progress.register(handlers);
    GroupQuestions questions =
        new GroupQuestions(
            members.host(), members.streams()::mayLead, allocator, map::storageNodes);
    questions.register(handlers);
    GroupReconciler groups =
        new GroupReconciler(settings.self().node(), members.host(), followed, questions);
    StorageStatus status = new StorageStatus(settings, store, members, followed, groups, tasks);
    StatusService answers = opened.add(new StatusService(status::status, allocator));
    answers.register(handlers);
    opened.add(map);
    map.attach(members.host(), transport, handlers);
    Mending mending = new Mending(map, settings.self().node());
    PageRepair repair =
        new PageRepair(store, new PageCopies(allocator, mending::copies, COPY_WAIT));
    mending.letLogsBeMended(members, allocator);
    bindMeters(registry, members);
    StorageAddress self = settings.self();
    NodeAddress bound =
        transport.listen(new NodeAddress(settings.peerListen(), self.port()), handlers);
    NodeAddress address = new NodeAddress(self.host(), bound.port());
    map.start();
    return new StorageNetwork(address, groups, repair, status);
  }

  /** The other storage nodes, as the source of copies of damaged data. */
  private record Mending(MapReplica map, int self) {
    private Map<Integer, Peer> others() {
      Map<Integer, Peer> all = new TreeMap<>(map.storageNodes());
      all.remove(self);
      return all;
    }

    private List<Peer> copies() {
      return List.copyOf(others().values());
    }

    private void letLogsBeMended(RaftMembers members, ByteBufAllocator allocator) {
      members
          .streams()
          .others(
              new OtherReplicas(
                  (node, request, timeout) ->
                      new NetStreamTransport(allocator, others()).call(node, request, timeout),
                  () -> List.copyOf(others().keySet()),
                  COPY_WAIT));
    }
  }

  private static void bindMeters(MeterRegistry registry, RaftMembers members) {
    Gauge.builder("gauss.log.damaged", members.streams(), s -> s.damagedBatches())
        .description("Batches of the log that are damaged here and read from other storage nodes")
        .register(registry);
    Gauge.builder("gauss.raft.ended", members.host(), host -> host.ended().size())
        .description("Members of Raft groups that have ended by themselves on this node")
        .register(registry);
    RaftCounts counts = members.host().counts();
    FunctionCounter.builder("gauss.raft.forces", counts, RaftCounts::forces)
        .description("Forces of the logs of Raft groups to disk")
        .register(registry);
    for (RaftCounts.Kind kind : RaftCounts.Kind.values()) {
      FunctionCounter.builder("gauss.raft.messages", counts, c -> c.messages(kind))
          .tag("type", kind.name().toLowerCase(Locale.ROOT))
          .description("Messages that came from other members of Raft groups")
          .register(registry);
    }
    FunctionCounter.builder("gauss.log.repaired", members.streams(), s -> s.repairedEntries())
        .description(
            "Entries of the log that were damaged here and repaired from other storage nodes")
        .register(registry);
  }
}
