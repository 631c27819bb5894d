package io.gauss.bench.model;

/**
 * Operations of a transaction, as the model has them.
 *
 * @param transfers pages from other nodes
 * @param appends a share of one when commits share them
 * @param clockMessages calls and answers
 * @param pageReads from page stores
 * @param sharedCommits commits that other compute nodes see
 */
record Counts(
    double transfers,
    double appends,
    double clockMessages,
    double pageReads,
    double sharedCommits) {
  /** Of one transaction; 0 for what happens by the second. */
  double of(Operation operation) {
    return switch (operation) {
      case TRANSFER -> transfers;
      case APPEND -> appends;
      case CLOCK_MESSAGE -> clockMessages;
      case PAGE_READ -> pageReads;
      case SHARED_COMMIT -> sharedCommits;
      case NODE_SECOND -> 0;
    };
  }
}
