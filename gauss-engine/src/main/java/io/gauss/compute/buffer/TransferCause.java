package io.gauss.compute.buffer;

/** What a leaf was needed for that had to come from another compute node to be written. */
public enum TransferCause {
  /** To write a row whose newest version another node wrote. */
  SAME_ROW,
  /** To write a row that this node wrote last, or nobody since it was loaded: false sharing. */
  OTHER_ROW,
  /** To add a row between those of other nodes. */
  NEW_ROW
}
