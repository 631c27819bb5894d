package io.gauss.storage.map.api;

import io.gauss.common.id.Xid;
import io.gauss.common.runtime.InOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A node of the cluster.
 *
 * @param id number in the cluster, 1 to 65,535, the same over restarts
 * @param slot LSN node number and stream slot of a compute node, 1 to {@link #MAX_SLOT}; 0 for
 *     others
 * @param zone its location, for choosing near nodes; may be empty
 * @param incarnation identifies the process (or its attempt to join), drawn at random by the
 *     process
 * @param epoch given at registration, above every epoch given before in the cluster
 * @param evicted true when it is to die: its lease is no longer renewed
 */
public record MapNode(
    int id,
    Set<Role> roles,
    int slot,
    String zone,
    List<Endpoint> endpoints,
    long incarnation,
    int epoch,
    NodeState state,
    Lease lease,
    boolean evicted) {
  public static final int MAX_ID = 0xFFFF;

  /** Transactions carry the slot of the node that runs them. */
  public static final int MAX_SLOT = Xid.MAX_SLOT;

  public MapNode {
    roles = InOrder.copyOf(roles);
    endpoints = List.copyOf(endpoints);
  }

  public boolean has(Role role) {
    return roles.contains(role);
  }

  public boolean isLive() {
    return state.isLive();
  }

  /** Compute and memory nodes hold leases; a node that only stores does not. */
  public boolean holdsLease() {
    return lease.exists();
  }

  /** The roles in a fixed order. */
  public Set<Role> orderedRoles() {
    return EnumSet.copyOf(roles);
  }

  public Optional<Endpoint> endpoint(Endpoint.Purpose purpose) {
    return endpoints.stream().filter(e -> e.purpose() == purpose).findFirst();
  }

  public MapNode withState(NodeState newState) {
    return new MapNode(
        id, roles, slot, zone, endpoints, incarnation, epoch, newState, lease, evicted);
  }

  public MapNode withRenewals(long renewals) {
    return new MapNode(
        id,
        roles,
        slot,
        zone,
        endpoints,
        incarnation,
        epoch,
        state,
        new Lease(lease.durationMillis(), renewals),
        evicted);
  }

  /** With this address in the place of any for the same purpose. */
  public MapNode reachableAt(Endpoint endpoint) {
    List<Endpoint> now = new ArrayList<>(endpoints);
    now.removeIf(other -> other.purpose() == endpoint.purpose());
    now.add(endpoint);
    return new MapNode(id, roles, slot, zone, now, incarnation, epoch, state, lease, evicted);
  }

  public MapNode asEvicted() {
    return new MapNode(id, roles, slot, zone, endpoints, incarnation, epoch, state, lease, true);
  }
}
