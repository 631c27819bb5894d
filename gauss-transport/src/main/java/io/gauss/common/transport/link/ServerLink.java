package io.gauss.common.transport.link;

import io.gauss.common.error.SqlState;
import io.gauss.common.transport.Handlers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The serving side of a connection. Confined to its loop, except {@link #answer} and {@link
 * #slotFree}.
 *
 * <p>Memory is bounded by not reading: while the maximum number of requests or bytes is unanswered,
 * or replies wait for the network, nothing more is received, and TCP blocks the caller.
 */
final class ServerLink extends Link {
  private final Handlers handlers;
  private final Consumer<ServerLink> onDown;
  private final Long2ObjectHashMap<ServerRequest> requests = new Long2ObjectHashMap<>();
  private final Int2ObjectHashMap<LinkMeters.OfType> meters = new Int2ObjectHashMap<>();
  private final LoopQueue<Answer> answers;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong openBytes = new AtomicLong();
  private volatile boolean full;

  /** A message of a request's answer from another thread than the loop. */
  private record Answer(ServerRequest request, int kind, ByteBuf payload) {}

  /**
   * @param onDown called, on the loop, when the connection is gone
   */
  ServerLink(
      LinkEnvironment environment, Wire wire, Handlers handlers, Consumer<ServerLink> onDown) {
    super(environment, wire, environment.accepting(wire), false);
    this.handlers = handlers;
    this.onDown = onDown;
    this.answers =
        new LoopQueue<>(
            wire.loop(),
            answer -> write(answer.request(), answer.kind(), answer.payload()),
            () -> batch(() -> {}),
            answer -> answer.payload().release());
    begin();
  }

  /** Ends the connection. */
  void shutDown(String reason) {
    closeInOrder(reason);
  }

  @Override
  void onUp() {}

  @Override
  void onDispatch(MessageHeader header, ByteBuf payload) {
    switch (header.kind) {
      case MessageKind.REQUEST, MessageKind.STREAM_REQUEST, MessageKind.ONE_WAY ->
          serve(header, payload);
      case MessageKind.CANCEL -> {
        payload.release();
        ServerRequest request = requests.remove(header.requestId);
        if (request != null) {
          request.cancel();
        }
      }
      case MessageKind.CREDIT -> {
        payload.release();
        ServerRequest request = requests.get(header.requestId);
        if (request != null) {
          request.grant(header.argument);
        }
      }
      default -> {
        payload.release();
        close("message of kind " + header.kind + " for the serving side");
      }
    }
  }

  private void serve(MessageHeader header, ByteBuf payload) {
    boolean oneWay = header.kind == MessageKind.ONE_WAY;
    Handlers.Entry entry = handlers.find(header.type);
    if (entry == null) {
      payload.release();
      if (oneWay) {
        LOG.warn("{} sent a message of type {}, which nobody handles", remote(), header.type);
      } else {
        send(
            MessageKind.FAILURE,
            header.type,
            header.requestId,
            0,
            0,
            FailureLayout.encodeBuffer(
                SqlState.FEATURE_NOT_SUPPORTED,
                "%s does not know messages of type %d".formatted(config.self(), header.type)));
      }
      return;
    }
    ServerRequest request = new ServerRequest(this, entry, header, payload);
    if (!oneWay && requests.put(header.requestId, request) != null) {
      payload.release();
      close("request id " + header.requestId + " is in use");
      return;
    }
    meters(entry).received().increment();
    takeSlot(request);
    if (entry.executor() == null) {
      request.run();
      return;
    }
    try {
      entry.executor().execute(request);
    } catch (RejectedExecutionException e) {
      request.rejected();
    }
  }

  private LinkMeters.OfType meters(Handlers.Entry entry) {
    LinkMeters.OfType found = meters.get(entry.type().id());
    if (found == null) {
      found = environment.meters().of(entry.type().id(), entry.type().name());
      meters.put(entry.type().id(), found);
    }
    return found;
  }

  private void takeSlot(ServerRequest request) {
    int calls = open.incrementAndGet();
    long bytes = openBytes.addAndGet(request.bytes());
    if (calls >= config.settings().maxOutstandingCalls()
        || bytes >= config.settings().maxOutstandingBytes()) {
      full = true;
      adjustReading();
    }
  }

  /** The request was served and its payload released. Any thread. */
  void slotFree(ServerRequest request) {
    open.decrementAndGet();
    openBytes.addAndGet(-request.bytes());
    if (full && hasRoom()) {
      try {
        wire.loop().execute(this::adjustReading);
      } catch (RejectedExecutionException e) {
        LOG.debug("the loop has ended");
      }
    }
  }

  private boolean hasRoom() {
    return open.get() <= config.settings().maxOutstandingCalls() / 2
        && openBytes.get() <= config.settings().maxOutstandingBytes() / 2;
  }

  private void adjustReading() {
    if (full && hasRoom()) {
      full = false;
    }
    reading(!full && wire.writable());
    if (full && hasRoom()) {
      // The last slots became free between the two checks, by threads that saw the old value of
      // "full".
      full = false;
      reading(wire.writable());
    }
  }

  /**
   * Sends one message of a request's answer: REPLY, FAILURE, ITEM or END. Any thread; takes over
   * the payload.
   */
  void answer(ServerRequest request, int kind, ByteBuf payload) {
    if (wire.loop().inLoop() && answers.isEmpty()) {
      write(request, kind, payload);
    } else {
      answers.offer(new Answer(request, kind, payload));
    }
  }

  private void write(ServerRequest request, int kind, ByteBuf payload) {
    boolean known = requests.get(request.id()) == request;
    if (!isUp() || !known) {
      payload.release();
    } else {
      send(kind, request.type().id(), request.id(), 0, 0, payload);
      meters(request.entry()).sent().increment();
      if (!wire.writable()) {
        adjustReading();
      }
    }
    if (kind != MessageKind.ITEM) {
      if (known) {
        requests.remove(request.id());
      }
      request.answered();
    }
  }

  @Override
  public void onWritable() {
    adjustReading();
  }

  @Override
  void onDown(String reason, SqlState refused) {
    ServerRequest[] pending = requests.values().toArray(new ServerRequest[0]);
    requests.clear();
    for (ServerRequest request : pending) {
      request.cancel();
    }
    onDown.accept(this);
  }

  ByteBuf noPayload() {
    return Unpooled.EMPTY_BUFFER;
  }
}
