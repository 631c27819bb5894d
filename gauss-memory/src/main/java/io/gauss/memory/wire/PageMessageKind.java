package io.gauss.memory.wire;

/** What a {@link PageMessage} says. The numbers are part of the format. */
public enum PageMessageKind {
  // ---- from a compute node to the page's home
  WANT_READ(1),
  WANT_WRITE(2),
  /** {@code slot}: the reader. */
  REFUSED(3),
  CONFIRM(4),
  /** With the page's LSN, and its bytes if they may be of use. */
  RELEASE(5),
  DROPPED(6),
  KEPT(7),
  /** With the page's LSN. */
  LEFT(8),
  NOT_TAKEN(9),
  OWNS(10),
  /** {@code slot}: the taker. With the page's LSN. */
  LEAVING(11),
  /**
   * {@code page}: the number of a bucket, all of whose pages have been reported; {@code slot} and
   * {@code number}: the node's stream and its durable end, an offset.
   */
  REPORTED(12),
  /**
   * Of no page: {@code slot} and {@code number}: a stream and an offset that a majority of the page
   * stores has applied. With the highest LSN before that.
   */
  APPLIED(13),

  // ---- from a page's home to a compute node
  /** With the LSN, and with the page's bytes unless a page store has to be read. */
  GRANT_READ(32),
  GRANT_WRITE(33),
  /**
   * {@code slot}: the reader; in place of the LSN for how many nanoseconds its request had to wait
   * here.
   */
  SHARE(34),
  /** {@code slot}: the taker; in place of the LSN as with {@link #SHARE}. */
  TRANSFER(35),
  CONFIRMED(36),
  REVOKE(37),
  ASK(38),
  TRACE(39),
  /** {@code page}: the number of a bucket, all of whose pages are meant. */
  ASK_AGAIN(40),
  /** {@code page}: the number of a bucket, whose home the sender is: what does the node have? */
  HOME(41),
  /**
   * {@code page}: the number of a bucket; {@code slot} and {@code number}: a stream and an offset
   * that a page store must have applied before a page of the bucket is read there (rule 18).
   */
  FLOOR(42),
  /** What the node wants cannot be had: the page directory is full. */
  NO_ROOM(43),

  // ---- between compute nodes
  /** With the page's bytes; in place of the home's epoch {@link TransferTimes}. */
  COPY(64),
  /** With the page's bytes; in place of the home's epoch {@link TransferTimes}. */
  GIVEN(65),
  REVOKE_COPY(66),
  COPY_DROPPED(67),
  PROBE(68);

  private static final int SIZE = 128;
  private static final PageMessageKind[] BY_ID = new PageMessageKind[SIZE];

  static {
    for (PageMessageKind kind : values()) {
      BY_ID[kind.id] = kind;
    }
  }

  private final int id;

  PageMessageKind(int id) {
    this.id = id;
  }

  public int id() {
    return id;
  }

  /**
   * The kind of this number.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static PageMessageKind of(int id) {
    PageMessageKind kind = id >= 0 && id < SIZE ? BY_ID[id] : null;
    if (kind == null) {
      throw new IllegalArgumentException("kind " + id + " of a message about a page");
    }
    return kind;
  }
}
