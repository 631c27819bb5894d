package io.gauss.storage.map.api;

/**
 * The redo stream of one epoch of a compute node. Streams of a slot follow each other in the slot's
 * standing Raft group (rule 32).
 *
 * @param epoch of the writer; identifies the stream
 * @param end offset at which it was sealed; meaningless while it is open
 * @param lastLsn highest LSN in the sealed stream
 */
public record MapStream(int epoch, int slot, boolean sealed, long end, long lastLsn) {
  public static MapStream open(int epoch, int slot) {
    return new MapStream(epoch, slot, false, 0, 0);
  }

  public MapStream sealedAt(long endOffset, long highestLsn) {
    return new MapStream(epoch, slot, true, endOffset, highestLsn);
  }
}
