package io.gauss.simulation.storage;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.redo.RedoType;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.ClusterKey;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMember;
import io.gauss.storage.map.client.StoragePeers;
import io.gauss.storage.raft.stream.ClientSettings;
import io.gauss.storage.remote.RemotePages;
import io.gauss.storage.remote.RemoteStorage;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A compute node's part in the cluster, without a database: it formats pages and reads them. */
final class ComputeClient implements ClusterMember.Hooks, AutoCloseable {
  private static final long PATIENCE_SECONDS = 120;
  private static final long FULL_PAUSE_NANOS = 100_000_000;

  private final LamportClock clock = LamportClock.unnumbered();
  private final Transport transport;
  private final StoragePeers peers;
  private final ClusterMember member;
  private final RemoteStorage storage;
  private final Arena arena = Arena.ofAuto();
  private final long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);

  ComputeClient(
      int number,
      List<StorageAddress> storageNodes,
      ClusterKey key,
      Function<TransportConfig, Transport> transports)
      throws ExecutionException, TimeoutException, InterruptedException {
    ClusterMember[] self = new ClusterMember[1];
    transport =
        transports.apply(
            new TransportConfig(
                new NodeIdentity(
                    number, NodeRole.COMPUTE, () -> self[0] == null ? 0 : self[0].epoch(), clock),
                key,
                EpochGuard.NONE,
                TransportSettings.DEFAULTS,
                new SimpleMeterRegistry()));
    peers =
        new StoragePeers(transport, storageNodes.stream().map(StorageAddress::address).toList());
    member =
        new ClusterMember(
            peers.client(),
            new ClusterMember.Identity(number, Set.of(Role.COMPUTE), ""),
            this,
            Environment::nanoTime);
    self[0] = member;
    Handlers handlers = new Handlers();
    member.register(handlers);
    NodeAddress at = transport.listen(new NodeAddress("simulated-" + number, 7100), handlers);
    await(member.join(List.of(new Endpoint(Endpoint.Purpose.PEER, at.host(), at.port()))));
    storage =
        RemoteStorage.connect(
            member.slot(),
            member.epoch(),
            peers.client(),
            transport,
            ClientSettings.defaults(),
            RemotePages.Settings.DEFAULTS);
  }

  private static <T> T await(CompletableFuture<T> future)
      throws ExecutionException, TimeoutException, InterruptedException {
    return Environment.get(future, PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Formats a page durably; returns its LSN. */
  long write(int pageNumber) throws ExecutionException, TimeoutException, InterruptedException {
    long lsn = clock.next(1);
    TestMtrs mtrs = new TestMtrs();
    byte[] format =
        ByteBuffer.allocate(18)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put((byte) PageType.TREE)
            .putInt(4, pageNumber)
            .putShort(16, (short) PageLayout.NO_HIGH_KEY)
            .array();
    mtrs.begin(lsn).record(RedoType.FORMAT, PageId.of(7, pageNumber), 0, format);
    ByteBuffer bytes = mtrs.take();
    AppendResult result = append(lsn, bytes);
    while (result instanceof AppendResult.DiskFull) {
      Environment.parkNanos(FULL_PAUSE_NANOS);
      result = append(lsn, bytes);
    }
    if (!(result instanceof AppendResult.Appended)) {
      throw new AssertionError("page " + pageNumber + " is not written: " + result);
    }
    return lsn;
  }

  private AppendResult append(long lsn, ByteBuffer bytes)
      throws ExecutionException, TimeoutException, InterruptedException {
    CompletableFuture<AppendResult> done = new CompletableFuture<>();
    storage.stream()
        .append(storage.epoch(), storage.stream().endOffset(), lsn, lsn, bytes, done::complete);
    return await(done);
  }

  /** LSN of a page, read from any storage node that has all that was written here. */
  long read(int pageNumber) throws ExecutionException, TimeoutException, InterruptedException {
    return await(
        storage
            .pages()
            .readPage(
                PageId.of(7, pageNumber),
                storage.stream().streamId(),
                storage.stream().endOffset(),
                page));
  }

  /** LSN of a page as any storage node has it now. */
  long readPresent(int pageNumber)
      throws ExecutionException, TimeoutException, InterruptedException {
    return await(
        storage.pages().readPage(PageId.of(7, pageNumber), storage.stream().streamId(), 0, page));
  }

  ClusterMap map() {
    return peers.client().map();
  }

  @Override
  public void registered(int slot, int epoch) {
    clock.number(slot);
  }

  @Override
  public long clock() {
    return clock.now();
  }

  @Override
  public void raiseClock(long lsn) {
    clock.observe(lsn);
  }

  @Override
  public void installReceiver(MapNode joining) {}

  @Override
  public CompletableFuture<Void> installDeath(Death death) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void epochLost(String why) {}

  @Override
  public void close() {
    storage.close();
    member.close();
    peers.close();
    transport.close();
  }
}
