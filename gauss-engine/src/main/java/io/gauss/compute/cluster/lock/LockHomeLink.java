package io.gauss.compute.cluster.lock;

import io.gauss.compute.cluster.memory.LockLink;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.txn.NodeLocks;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import io.gauss.memory.wire.LockLayout;
import io.netty.buffer.ByteBuf;

/**
 * Joins this node's locks to their homes on the memory nodes: {@link NodeLocks} over {@link
 * LockLink}. Thread-safe; nothing here waits.
 */
public final class LockHomeLink {
  private LockHomeLink() {}

  /**
   * Returns this node's locks, which receive the homes' messages from now on.
   *
   * @param peers the other compute nodes
   */
  public static NodeLocks join(LockLink link, PeerNodes peers) {
    NodeLocks locks = new NodeLocks((name, message) -> send(link, name, message), peers);
    link.receiver(new Receiver(locks));
    return locks;
  }

  private static void send(LockLink link, LockName name, Message message) {
    int bucket = name.bucket();
    ByteBuf buffer = link.message(bucket);
    LockLayout.add(buffer, name, message);
    link.toHome(bucket, buffer);
  }

  private record Receiver(NodeLocks locks) implements LockLink.Receiver {
    @Override
    public void homeChanged(int bucket) {
      locks.homeChanged(bucket);
    }

    @Override
    public void askAgain(int bucket) {
      locks.askAgain(bucket);
    }

    @Override
    public void order(LockName name, LockAction action) {
      locks.order(name, action);
    }

    @Override
    public void refused(LockName name, long request, String sqlState, String message) {
      locks.refused(name, request, sqlState, message);
    }
  }
}
