package io.gauss.memory.directory;

/**
 * Where an entry of the page directory has what. The same bytes are an entry in Chronicle Map and
 * one on the wire when a bucket moves. Integers are little-endian.
 *
 * <pre>
 *  0  1  layout version, 1
 *  1  1  state: 0 nobody owns the page, 1 memory does, 2 a compute node does, 3 in transfer
 *  2  1  slot of the owner (states 2 and 3), else 0
 *  3  1  slot of who gets the page (state 3), else 0
 *  4  4  transfer number
 *  8  8  sharers: bit n is the compute node in slot n, 1 to 63
 * 16  8  last released LSN
 * 24  4  share number
 * 28  2  stream of the last released LSN
 * 30  1  number of past images, 0 to 4
 * 31  1  zero
 * 32  4  past images: slots of the nodes that have them, u8 each
 * 36  4  zero
 * 40 32  past images: their LSNs, u64 each
 * </pre>
 */
public final class DirectoryEntryLayout {
  public static final int VERSION_OFFSET = 0;
  public static final int STATE = VERSION_OFFSET + 1;
  public static final int OWNER = STATE + 1;
  public static final int RECEIVER = OWNER + 1;
  public static final int TRANSFER = RECEIVER + 1;
  public static final int SHARERS = TRANSFER + 4;
  public static final int LSN = SHARERS + 8;
  public static final int SHARE = LSN + 8;
  public static final int STREAM = SHARE + 4;
  public static final int IMAGE_COUNT = STREAM + 2;
  public static final int RESERVED_1 = IMAGE_COUNT + 1;
  public static final int IMAGE_SLOTS = RESERVED_1 + 1;
  public static final int RESERVED_4 = IMAGE_SLOTS + 4;
  public static final int IMAGE_LSNS = RESERVED_4 + 4;
  public static final int BYTES = IMAGE_LSNS + 4 * 8;

  /** Version of the entries that this code writes. */
  public static final int CURRENT_VERSION = 1;

  /** Past images that an entry has room for. */
  public static final int MAX_IMAGES = 4;

  /** Highest slot that a sharer, and thus any compute node, can have. */
  public static final int MAX_SLOT = 63;

  private DirectoryEntryLayout() {}
}
