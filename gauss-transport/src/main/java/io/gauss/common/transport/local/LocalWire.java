package io.gauss.common.transport.local;

import io.gauss.common.transport.link.FrameKeys;
import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.link.MessageHeader;
import io.gauss.common.transport.link.MessageKind;
import io.gauss.common.transport.link.MessageLayout;
import io.gauss.common.transport.link.Wire;
import io.gauss.common.transport.link.WireHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One end of a connection within the JVM. Messages are handed over as objects, payloads by
 * reference. Confined to its loop, except {@link #pendingBytes} and the methods that the other end
 * calls.
 */
final class LocalWire implements Wire {
  private static final long HIGH_WATER_BYTES = 1 << 20;
  private static final long LOW_WATER_BYTES = 256 << 10;

  private final Loop loop;
  private final String remoteAddress;
  private final AtomicLong pending = new AtomicLong();
  private final ArrayDeque<Message> inbox = new ArrayDeque<>();
  private LocalWire other;
  private Carrier.Path path;
  private WireHandler handler;
  private List<Message> outgoing = new ArrayList<>();
  private long outgoingBytes;
  private boolean closed;
  private boolean paused;
  private boolean processing;
  private volatile boolean unwritable;

  /**
   * @param header null = the sender has closed
   */
  private record Message(MessageHeader header, ByteBuf payload, int bytes) {}

  /** What a path carries; says what it is, for traces. */
  private record Delivery(LocalWire to, List<Message> batch) implements Carrier.Messages {
    @Override
    public void run() {
      to.receive(batch);
    }

    @Override
    public int count() {
      return batch.size();
    }

    @Override
    public int type(int index) {
      MessageHeader header = batch.get(index).header();
      return header == null ? 0 : header.type;
    }

    @Override
    public ByteBuf payload(int index) {
      Message message = batch.get(index);
      return message.header() == null ? Unpooled.EMPTY_BUFFER : message.payload();
    }

    @Override
    public void replace(int index, ByteBuf payload) {
      Message message = batch.get(index);
      message.payload().release();
      batch.set(index, new Message(message.header(), payload, message.bytes()));
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      for (Message message : batch) {
        text.append(text.isEmpty() ? "" : ", ");
        MessageHeader header = message.header();
        text.append(header == null ? "close" : header + " " + message.bytes() + " B");
      }
      return text.toString();
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    /** The same whenever the same messages are sent. */
    @Override
    public int hashCode() {
      int hash = batch.size();
      for (Message message : batch) {
        MessageHeader header = message.header();
        hash = 31 * hash + message.bytes();
        hash = 31 * hash + (header == null ? 0 : 1_000 * header.kind + header.type);
      }
      return hash;
    }
  }

  LocalWire(Loop loop, String remoteAddress) {
    this.loop = loop;
    this.remoteAddress = remoteAddress;
  }

  /** To be called before anything else. */
  void join(LocalWire otherEnd, Carrier.Path outgoingPath) {
    this.other = otherEnd;
    this.path = outgoingPath;
  }

  void handler(WireHandler wireHandler) {
    this.handler = wireHandler;
  }

  @Override
  public Loop loop() {
    return loop;
  }

  @Override
  public String remoteAddress() {
    return remoteAddress;
  }

  @Override
  public void established(FrameKeys keys) {
    // Within a process there is no need to limit the size of messages, nor to authenticate them.
  }

  @Override
  public void write(MessageHeader header, ByteBuf payload) {
    if (closed) {
      payload.release();
      return;
    }
    int copies = header.kind == MessageKind.ONE_WAY ? path.copies(header.type) : 1;
    for (int i = 1; i < copies; i++) {
      append(header.copy(), payload.copy());
    }
    append(header.copy(), payload);
  }

  private void append(MessageHeader header, ByteBuf payload) {
    int bytes = MessageLayout.HEADER_BYTES + payload.readableBytes();
    outgoing.add(new Message(header, payload, bytes));
    outgoingBytes += bytes;
    pending.addAndGet(bytes);
  }

  @Override
  public void flush() {
    if (outgoing.isEmpty()) {
      return;
    }
    List<Message> batch = outgoing;
    long bytes = outgoingBytes;
    outgoing = new ArrayList<>();
    outgoingBytes = 0;
    try {
      path.carry(bytes, new Delivery(other, batch));
    } catch (RejectedExecutionException e) {
      release(batch);
      closeLater();
    }
  }

  /**
   * Not during the caller's task, which may still use the wire, unless the loop accepts no later
   * tasks.
   */
  private void closeLater() {
    try {
      loop.execute(this::otherHasStopped);
    } catch (RejectedExecutionException e) {
      otherHasStopped();
    }
  }

  private static void release(Iterable<Message> messages) {
    for (Message message : messages) {
      if (message.header() != null) {
        message.payload().release();
      }
    }
  }

  /** On this wire's loop. */
  private void receive(List<Message> batch) {
    if (closed) {
      release(batch);
      return;
    }
    inbox.addAll(batch);
    process();
  }

  private void process() {
    if (processing) {
      return;
    }
    processing = true;
    try {
      while (!paused && !closed && !inbox.isEmpty()) {
        Message message = inbox.poll();
        if (message.header() == null) {
          closeNow("closed by the other side");
        } else {
          other.delivered(message.bytes());
          handler.onMessage(message.header(), message.payload(), message.bytes());
        }
      }
    } finally {
      processing = false;
    }
    if (!closed) {
      handler.onBatchEnd();
    }
  }

  /** On the other wire's loop. */
  private void delivered(int bytes) {
    if (pending.addAndGet(-bytes) <= LOW_WATER_BYTES && unwritable) {
      unwritable = false;
      try {
        loop.execute(this::tellWritable);
      } catch (RejectedExecutionException e) {
        // This end has stopped; there are no more writers.
        unwritable = true;
      }
    }
  }

  private void tellWritable() {
    if (!closed) {
      handler.onWritable();
    }
  }

  @Override
  public boolean writable() {
    if (pending.get() < HIGH_WATER_BYTES) {
      return true;
    }
    unwritable = true;
    // The bytes may have been delivered between the two lines: then no notification would follow.
    return pending.get() <= LOW_WATER_BYTES;
  }

  @Override
  public long pendingBytes() {
    return pending.get();
  }

  @Override
  public void reading(boolean on) {
    paused = !on;
    if (on) {
      loop.execute(this::process);
    }
  }

  @Override
  public void close(String reason) {
    if (!closed) {
      outgoing.add(new Message(null, null, 0));
      flush();
      closeNow(reason);
    }
  }

  /** The other end's loop accepts nothing any more. */
  void otherHasStopped() {
    closeNow("the other node has stopped");
  }

  /** Closes without notice to the other end. */
  void reset() {
    closeNow("connection reset");
  }

  /** On this wire's loop; also true when the wire was closed before it had a handler. */
  boolean isClosed() {
    return closed;
  }

  private void closeNow(String reason) {
    if (closed) {
      return;
    }
    closed = true;
    release(outgoing);
    outgoing.clear();
    release(inbox);
    inbox.clear();
    if (handler != null) {
      handler.onClosed(reason);
    }
    path.close();
  }
}
