package io.gauss.storage.map.message;

import io.gauss.storage.map.command.MapCommand;

/** Requests of nodes and tools to the cluster map's replicas on the storage nodes. */
public sealed interface MapRequest {
  /**
   * To any replica: send the map once its version is above this one.
   *
   * @param version of the requester's map, 0 for none
   * @param waitMillis how long the answer may take when there is nothing newer
   */
  record Watch(long version, int waitMillis) implements MapRequest {}

  /** The leader: propose this command. */
  record Propose(MapCommand command) implements MapRequest {}

  /** The leader: renew a lease. */
  record Renew(MapCommand.Renewal renewal) implements MapRequest {}

  /** The leader, from a supervisor: the process has ended. */
  record ReportExit(int node, long incarnation) implements MapRequest {}

  /** The leader: the reporter cannot talk to another node; repeated while that is so. */
  record ReportUnreachable(int reporter, int reporterEpoch, int target, int targetEpoch)
      implements MapRequest {}

  /** Any replica: the map with its place in the Raft log, for a replica that fell behind. */
  record Snapshot() implements MapRequest {}

  /** To any node, storage node or not: which incarnation is it? Has its own message type. */
  record WhoAreYou() implements MapRequest {}

  /** The leader: return the map, and how long leases are still valid. */
  record Status() implements MapRequest {}
}
