package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.ClusterNode;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * A session and its node. The session is kept weakly: applications may forget to close it, and then
 * it does not count any more. Guarded by the lock of {@link Balance}.
 */
public final class Seat extends WeakReference<Cluster.Idle> {
  ClusterNode node;

  Seat(Cluster.Idle session, ReferenceQueue<Cluster.Idle> queue, ClusterNode node) {
    super(session, queue);
    this.node = node;
  }
}
