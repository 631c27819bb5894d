package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.txn.wire.TransactionMessages;
import io.gauss.compute.txn.wire.XidQuestionLayout;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.locks.LockSupport;
import org.agrona.collections.LongArrayList;

/**
 * One message that asks for the outcomes of some transactions, and its answer. Filled and read by
 * one thread; the answer is taken on the connection's event loop, which wakes that thread.
 */
final class XidQuestion {
  private static final long TIMEOUT_NANOS = 5_000_000_000L;

  private final int node;
  private final Thread asker = Thread.currentThread();
  private final LongArrayList xids = new LongArrayList();
  private long[] answers; // kind and value by turns
  private Throwable failure;
  private volatile boolean done; // publishes the two above

  XidQuestion(int node) {
    this.node = node;
  }

  int node() {
    return node;
  }

  boolean isFull() {
    return xids.size() == XidQuestionLayout.MAX_XIDS;
  }

  void add(long xid) {
    xids.addLong(xid);
  }

  int count() {
    return xids.size();
  }

  long xid(int index) {
    return xids.getLong(index);
  }

  void send(PeerNodes peers, long snapshot) {
    int count = xids.size();
    ByteBuf message = peers.allocator().buffer(XidQuestionLayout.questionBytes(count));
    XidQuestionLayout.writeQuestion(message, count, snapshot);
    xids.forEachLong(message::writeLongLE);
    peers.call(node, TransactionMessages.XIDS, message, TIMEOUT_NANOS).whenComplete(this::answered);
  }

  private void answered(ByteBuf reply, Throwable error) {
    try {
      if (error == null) {
        read(reply);
      } else {
        failure = error;
      }
    } catch (RuntimeException e) {
      failure = e;
    } finally {
      if (reply != null) {
        reply.release();
      }
      done = true;
      LockSupport.unpark(asker);
    }
  }

  private void read(ByteBuf reply) {
    int count = xids.size();
    XidQuestionLayout.checkAnswers(reply, count);
    long[] read = new long[2 * count];
    for (int i = 0; i < count; i++) {
      read[2 * i] = XidQuestionLayout.kind(reply, i);
      read[2 * i + 1] = XidQuestionLayout.value(reply, i);
    }
    answers = read;
  }

  boolean isDone() {
    return done;
  }

  /**
   * False when the question is to be asked again: the node is gone, or does not answer for these
   * any more.
   *
   * @throws GaussException the error with which the other node answered
   */
  boolean isAnswered() {
    return switch (failure) {
      case null -> true;
      case TransportException e
          when e.reason() != Reason.FAILED
              || e.state() == SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE ->
          false;
      case TransportException e -> throw e.toGauss();
      case GaussException e -> throw new GaussException(e.state(), e.getMessage(), e);
      default ->
          throw new GaussException(
              SqlState.INTERNAL_ERROR, "an answer about transactions cannot be read", failure);
    };
  }

  int kind(int index) {
    return (int) answers[2 * index];
  }

  long value(int index) {
    return answers[2 * index + 1];
  }
}
