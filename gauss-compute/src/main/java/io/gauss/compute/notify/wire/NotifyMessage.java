package io.gauss.compute.notify.wire;

import io.gauss.compute.notify.wire.NotifyLayout.Item;
import java.util.List;

/** What compute nodes say to each other about notifications; in sessions, so in order and once. */
public sealed interface NotifyMessage {
  /** A node that starts asks which channels the receiver listens to. */
  record Ask() implements NotifyMessage {}

  /**
   * To which classes of channels the sender listens from now on.
   *
   * @param number rises with each change
   * @param classes a bit for each class
   */
  record Listens(long number, long[] classes) implements NotifyMessage {}

  /**
   * Answers {@link Listens}: no transaction of the sender will commit that has looked before it
   * knew that, and has not reserved its CSN yet.
   */
  record Heard(long number) implements NotifyMessage {}

  /**
   * Notifications of a transaction that is about to commit, in one part or several.
   *
   * @param ticket the sender's number of the transaction
   * @param pid of the session
   * @param isFirst whether it is the transaction's first part
   * @param isLast whether it is its last part
   */
  record Tell(long ticket, long xid, int pid, boolean isFirst, boolean isLast, List<Item> items)
      implements NotifyMessage {}

  /**
   * Answers {@link Tell}: the part is in the receiver's queue, or that is full.
   *
   * @param bytes length of the part
   * @param percent how full the queue is
   * @param slowest number of the session for which most is waiting; 0 = none
   */
  record Taken(long ticket, int bytes, boolean isLast, boolean isFull, int percent, int slowest)
      implements NotifyMessage {}

  /**
   * The outcome of a transaction.
   *
   * @param csn 0 = it has not committed
   */
  record Decided(long ticket, long csn) implements NotifyMessage {}
}
