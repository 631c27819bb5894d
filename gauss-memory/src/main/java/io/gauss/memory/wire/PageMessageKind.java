package io.gauss.memory.wire;

/** Numbers of the kinds of {@link PageMessage}, which are part of the format. */
public enum PageMessageKind {
  // ---- ToHome
  WANT_READ(1),
  WANT_WRITE(2),
  REFUSED(3),
  CONFIRM(4),
  RELEASE(5),
  DROPPED(6),
  KEPT(7),
  LEFT(8),
  NOT_TAKEN(9),
  OWNS(10),
  LEAVING(11),
  REPORTED(12),
  APPLIED(13),

  // ---- FromHome
  GRANT_READ(32),
  GRANT_WRITE(33),
  SHARE(34),
  TRANSFER(35),
  CONFIRMED(36),
  REVOKE(37),
  ASK(38),
  TRACE(39),
  ASK_AGAIN(40),
  HOME(41),
  FLOOR(42),
  NO_ROOM(43),

  // ---- FromHolder
  COPY(64),
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

  /** Whether the page's bytes may follow. */
  boolean mayHavePage() {
    return switch (this) {
      case RELEASE, GRANT_READ, GRANT_WRITE, COPY, GIVEN -> true;
      default -> false;
    };
  }

  /**
   * The kind of this number.
   *
   * @throws IllegalArgumentException when there is none
   */
  static PageMessageKind of(int id) {
    PageMessageKind kind = id >= 0 && id < SIZE ? BY_ID[id] : null;
    if (kind == null) {
      throw new IllegalArgumentException("kind " + id + " of a message about a page");
    }
    return kind;
  }
}
