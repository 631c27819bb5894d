package io.gauss.common.transport.link;

import io.gauss.common.error.SqlState;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import org.agrona.collections.Long2ObjectHashMap;

/** The calling side of a connection. Confined to its loop. */
final class ClientLink extends Link {
  private final ReconnectingPeer peer;
  private final Long2ObjectHashMap<Outbound> calls = new Long2ObjectHashMap<>();
  private long lastId;

  ClientLink(LinkEnvironment environment, Wire wire, Handshake handshake, ReconnectingPeer peer) {
    super(environment, wire, handshake, true);
    this.peer = peer;
  }

  /** Writes the message, and keeps it if it expects an answer. */
  void start(Outbound message) {
    ByteBuf payload = message.takePayload();
    int remaining = message.remainingMicros(wire.loop().nanoTime());
    if (message.kind() != MessageKind.ONE_WAY) {
      message.id = ++lastId;
      calls.put(message.id, message);
    }
    send(message.kind(), message.type.id(), message.id, remaining, message.argument(), payload);
    peer.meters(message).sent().increment();
  }

  boolean writable() {
    return wire.writable();
  }

  void grant(Outbound call, int bytes) {
    if (isUp() && calls.containsKey(call.id)) {
      send(MessageKind.CREDIT, call.type.id(), call.id, 0, bytes, Unpooled.EMPTY_BUFFER);
    }
  }

  /** Forgets the call and informs the other side. False when it is not under way. */
  boolean cancel(Outbound call) {
    if (!isUp() || calls.remove(call.id) == null) {
      return false;
    }
    send(MessageKind.CANCEL, call.type.id(), call.id, 0, 0, Unpooled.EMPTY_BUFFER);
    return true;
  }

  void forEachCall(Consumer<Outbound> action) {
    calls.values().forEach(action);
  }

  @Override
  void onUp() {
    peer.linkUp(this);
  }

  @Override
  void onDispatch(MessageHeader header, ByteBuf payload) {
    Outbound call = calls.get(header.requestId);
    if (call == null) {
      // Cancelled meanwhile.
      payload.release();
      return;
    }
    peer.meters(call).received().increment();
    switch (header.kind) {
      case MessageKind.REPLY -> {
        if (call instanceof StreamingCall) {
          payload.release();
          finished(call);
          call.fail(failed(SqlState.PROTOCOL_VIOLATION, call.type + " was answered by no stream"));
        } else {
          finished(call);
          call.reply(payload);
        }
      }
      case MessageKind.FAILURE -> {
        FailureLayout.Failure failure = FailureLayout.decode(payload);
        payload.release();
        finished(call);
        environment.meters().failed(Reason.FAILED);
        call.fail(failed(failure.state(), failure.message()));
      }
      case MessageKind.ITEM -> {
        if (!call.item(payload)) {
          close("an item for a call that takes one reply");
        }
      }
      case MessageKind.END -> {
        payload.release();
        finished(call);
        if (!call.end()) {
          call.fail(failed(SqlState.PROTOCOL_VIOLATION, call.type + " was answered by a stream"));
        }
      }
      default -> {
        payload.release();
        close("message of kind " + header.kind + " for the calling side");
      }
    }
  }

  private static TransportException failed(SqlState state, String message) {
    return new TransportException(Reason.FAILED, state, true, message);
  }

  private void finished(Outbound call) {
    calls.remove(call.id);
    peer.answered(call);
  }

  @Override
  public void onWritable() {
    peer.pump();
  }

  @Override
  void onDown(String reason, SqlState refused) {
    Outbound[] open = calls.values().toArray(new Outbound[0]);
    calls.clear();
    peer.linkDown(this, reason, refused, open);
  }
}
