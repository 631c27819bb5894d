package io.gauss.storage.raft;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/** Adds up the numbers in its commands; the answer is the sum so far. */
class SumMachine extends BaseStateMachine {
  private volatile long sum;

  static ByteString number(long value) {
    return ByteString.copyFromUtf8(Long.toString(value));
  }

  static long number(ByteString bytes) {
    return Long.parseLong(bytes.toStringUtf8());
  }

  static long number(ByteBuffer bytes) {
    return number(ByteString.copyFrom(bytes));
  }

  long sum() {
    return sum;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // entries are applied one after another
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    var entry = transaction.getLogEntry();
    sum += number(entry.getStateMachineLogEntry().getLogData());
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    return CompletableFuture.completedFuture(Message.valueOf(number(sum)));
  }

  @Override
  public CompletableFuture<Message> query(Message question) {
    return CompletableFuture.completedFuture(Message.valueOf(number(sum)));
  }
}
