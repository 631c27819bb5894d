package io.gauss.compute.buffer;

/** Why a leaf had to come from another compute node to be written. */
public enum TransferCause {
  /** To write a row whose newest version another node wrote. */
  SAME_ROW,
  /**
   * To write a row that this node wrote last, or that was not written since it was loaded: false
   * sharing.
   */
  OTHER_ROW,
  /** To add a row between those of other nodes. */
  NEW_ROW
}
