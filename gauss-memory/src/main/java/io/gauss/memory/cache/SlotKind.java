package io.gauss.memory.cache;

/** Kind of a slot's content. The numbers are part of {@link SlotLayout}. */
public enum SlotKind {
  EMPTY(0),
  /** The newest content of a page that no compute node owns. */
  PAGE(1);

  private static final SlotKind[] BY_ID = values();

  private final int id;

  SlotKind(int id) {
    this.id = id;
  }

  int id() {
    return id;
  }

  /**
   * The kind of this number.
   *
   * @throws IllegalArgumentException when there is none
   */
  static SlotKind of(int id) {
    if (id < 0 || id >= BY_ID.length) {
      throw new IllegalArgumentException("kind " + id + " of a slot");
    }
    return BY_ID[id];
  }
}
