package io.gauss.storage.raft.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * A simulated group of storage nodes with worst-case faults, without disks and without Ratis: one
 * agreed log, a changing leader, requests and answers that are lost, late, repeated, or out of
 * order. Events are drawn from a seed.
 */
final class FaultyGroup implements StreamTransport, AutoCloseable {
  private final Random random;
  private final int nodes;
  private final int faultsPerMille;
  private final StreamState state;
  private final List<byte[]> bytes = new ArrayList<>();
  private final List<Runnable> events = new ArrayList<>();
  private final Thread driver;
  private int leader;
  private long raftIndex;
  private volatile boolean closed;

  FaultyGroup(int stream, int nodes, long seed, int faultsPerMille) {
    this.random = new Random(seed);
    this.nodes = nodes;
    this.faultsPerMille = faultsPerMille;
    this.state = new StreamState(stream);
    this.driver = Thread.ofPlatform().daemon().name("faulty-group").start(this::drive);
  }

  private void drive() {
    while (!closed) {
      Runnable event = take();
      if (event == null) {
        LockSupport.parkNanos(20_000);
      } else {
        event.run();
      }
    }
  }

  /** Takes one of the first few events, so that they overtake each other a little. */
  private synchronized Runnable take() {
    return events.isEmpty()
        ? null
        : events.remove(chance(100) ? random.nextInt(Math.min(4, events.size())) : 0);
  }

  private boolean chance(int perMille) {
    return random.nextInt(1000) < perMille;
  }

  @Override
  public synchronized CompletableFuture<StreamAnswer> call(
      int node, StreamRequest request, Duration timeout) {
    CompletableFuture<StreamAnswer> result = new CompletableFuture<>();
    events.add(() -> arrive(node, request, result));
    return result;
  }

  private void arrive(int node, StreamRequest request, CompletableFuture<StreamAnswer> result) {
    StreamAnswer answer;
    synchronized (this) {
      answer = answer(node, request);
    }
    result.complete(answer); // outside the lock, since it calls back into the client
  }

  private StreamAnswer answer(int node, StreamRequest request) {
    if (node != leader) {
      return new StreamAnswer.NotLeader(chance(500) ? OptionalInt.of(leader) : OptionalInt.empty());
    }
    if (!chance(faultsPerMille)) {
      return carryOut(request);
    }
    switch (random.nextInt(6)) {
      case 0 -> {
        return new StreamAnswer.Unknown("the request was lost");
      }
      case 1 -> {
        carryOut(request);
        return new StreamAnswer.Unknown("the answer was lost");
      }
      case 2 -> {
        events.add(() -> late(request));
        return new StreamAnswer.Unknown("the request is late");
      }
      case 3 -> {
        leader = random.nextInt(nodes);
        return new StreamAnswer.Unknown("the leader has changed");
      }
      case 4 -> {
        events.add(() -> late(request));
        return carryOut(request);
      }
      default -> {
        leader = random.nextInt(nodes);
        events.add(() -> late(request)); // was in the log of the new leader
        return new StreamAnswer.Busy("the leader is new");
      }
    }
  }

  private synchronized void late(StreamRequest request) {
    if (!events.isEmpty() && chance(700)) {
      events.add(() -> late(request));
    } else {
      carryOut(request);
    }
  }

  private StreamAnswer carryOut(StreamRequest request) {
    int stream = request.stream();
    byte[] entry =
        switch (request) {
          case StreamRequest.Append append -> append.entry();
          case StreamRequest.Seal seal ->
              StreamEntryLayout.command(new StreamEntry.Seal(stream, seal.epoch()));
          case StreamRequest.Open open ->
              StreamEntryLayout.command(new StreamEntry.Open(stream, open.epoch(), open.token()));
          case StreamRequest.Trim trim ->
              StreamEntryLayout.command(new StreamEntry.Trim(stream, 0, trim.offset()));
          case StreamRequest.Subscribe asked ->
              StreamEntryLayout.command(
                  new StreamEntry.Subscribe(stream, asked.node(), asked.tenure(), asked.offset()));
          case StreamRequest.Raise asked ->
              StreamEntryLayout.command(
                  new StreamEntry.Raise(stream, asked.node(), asked.tenure(), asked.offset()));
          case StreamRequest.Unsubscribe asked ->
              StreamEntryLayout.command(
                  new StreamEntry.Unsubscribe(stream, asked.node(), asked.tenure()));
          default -> null;
        };
    if (entry == null) {
      return new StreamAnswer.State(state.info());
    }
    int before = state.index().count();
    StreamEntry parsed =
        StreamEntryLayout.read(ByteBuffer.wrap(entry).order(ByteOrder.LITTLE_ENDIAN));
    StreamAnswer answer = state.apply(++raftIndex, parsed);
    if (parsed instanceof StreamEntry.Append append && state.index().count() > before) {
      byte[] payload = new byte[append.length()];
      append.payload().get(payload);
      bytes.add(payload);
    }
    return answer;
  }

  /** The batches in the stream, in order. */
  synchronized List<byte[]> content() {
    return List.copyOf(bytes);
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    driver.join();
  }
}
