package io.gauss.bench.model;

import java.util.List;

/** The roles of nodes, and the operations of which the processor time of each consists. */
enum Tier {
  COMPUTE(
      Operation.TRANSFER,
      Operation.APPEND,
      Operation.CLOCK_MESSAGE,
      Operation.PAGE_READ,
      Operation.SHARED_COMMIT,
      Operation.NODE_SECOND),
  MEMORY(Operation.TRANSFER, Operation.SHARED_COMMIT, Operation.NODE_SECOND),
  STORAGE(Operation.APPEND, Operation.PAGE_READ, Operation.NODE_SECOND);

  private final List<Operation> operations;

  Tier(Operation... operations) {
    this.operations = List.of(operations);
  }

  /** What costs this role something beside a load's own work. */
  List<Operation> operations() {
    return operations;
  }

  /** Its name in the results of benchmarks. */
  String role() {
    return switch (this) {
      case COMPUTE -> "compute";
      case MEMORY -> "memory";
      case STORAGE -> "storage";
    };
  }
}
