package io.gauss.memory.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.Request;
import io.gauss.common.transport.session.SessionServer;
import io.gauss.memory.coherence.Slots;
import io.gauss.memory.node.ComputeLinks.ComputeLink;
import io.gauss.memory.wire.LockHeader;
import io.gauss.memory.wire.LockLayout;
import io.gauss.memory.wire.MemoryStatus;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.memory.wire.PageOwnersLayout;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * Hands requests and messages of other nodes to the event loops that serve the buckets. Runs on the
 * connections' event loops; thread-safe.
 */
record MemoryAnswers(MemoryBuckets buckets) {

  void register(Handlers handlers) {
    handlers.on(MemoryStatus.QUESTION, this::tellStatus);
    handlers.on(
        PageOwnersLayout.QUESTION,
        request -> OwnerAnswers.answer(request, buckets.servers(), buckets.transport()));
    new SessionServer(buckets.self(), buckets.transport().allocator(), this::deliver)
        .register(handlers);
  }

  private void tellStatus(Request request) {
    try {
      MemoryStatus.checkRequest(request.payload());
    } catch (GaussException e) {
      request.fail(e.state(), e.getMessage());
      return;
    }
    MemoryStatus status =
        new MemoryStatus(
            buckets.self().node(),
            (int) buckets.sum(BucketServer::served),
            (int) buckets.sum(BucketServer::closed),
            (int) buckets.sum(BucketServer::shut),
            buckets.sum(server -> server.pages().directory().size()),
            buckets.sum(server -> server.pages().held()),
            buckets.sum(server -> server.pages().directory().capacity()),
            buckets.sum(server -> server.locks().size()));
    request.reply(status.write(buckets.transport().allocator().buffer()));
  }

  private void deliver(RemoteNode sender, int epoch, int type, ByteBuf payload) {
    if (sender.role() != NodeRole.COMPUTE) {
      throw new IllegalArgumentException("message of type " + type + " from " + sender);
    }
    if (type == PageMessageLayout.PAGES.id()) {
      deliverPages(epoch, payload);
    } else if (type == LockLayout.EVENTS.id()) {
      deliverLocks(epoch, payload);
    } else {
      throw new IllegalArgumentException("message of type " + type + " from " + sender);
    }
  }

  private void deliverPages(int epoch, ByteBuf payload) {
    List<BucketServer> servers = buckets.servers();
    ComputeLink link = buckets.links().ofEpoch(epoch);
    List<List<ToHome.OfBucket>> byLoop = new ArrayList<>();
    servers.forEach(server -> byLoop.add(new ArrayList<>()));
    try {
      PageMessageLayout.read(
          payload,
          ToHome.class,
          message -> {
            switch (message) {
              case ToHome.Applied applied ->
                  servers.forEach(
                      server -> server.applied(applied.stream(), applied.offset(), applied.lsn()));
              case ToHome.OfBucket said ->
                  byLoop.get(MapFollower.loopOf(said.bucket(), servers.size())).add(said);
            }
          });
    } finally {
      deliver(byLoop, link, epoch);
    }
  }

  private void deliver(List<List<ToHome.OfBucket>> byLoop, ComputeLink link, int epoch) {
    for (int i = 0; i < byLoop.size(); i++) {
      List<ToHome.OfBucket> messages = byLoop.get(i);
      if (link == null) {
        // Homes speak first: a node that no home here has asked has nothing to report yet.
        messages.forEach(ToHome::release);
      } else if (!messages.isEmpty()) {
        buckets.servers().get(i).pages(link.slot(), epoch, messages);
      }
    }
  }

  private void deliverLocks(int epoch, ByteBuf payload) {
    int bucket = LockHeader.bucket(payload);
    int slot = LockHeader.slot(payload);
    if (bucket >= PageBuckets.BUCKETS || slot < 1 || slot > Slots.MAX) {
      throw new IllegalArgumentException("bucket " + bucket + ", slot " + slot);
    }
    buckets.links().heard(epoch, slot);
    List<BucketServer.LockMessage> messages = new ArrayList<>();
    try {
      LockLayout.readAtHome(
          payload, (name, what) -> messages.add(new BucketServer.LockMessage(name, what)));
    } finally {
      List<BucketServer> servers = buckets.servers();
      servers.get(MapFollower.loopOf(bucket, servers.size())).locks(epoch, bucket, messages);
    }
  }
}
