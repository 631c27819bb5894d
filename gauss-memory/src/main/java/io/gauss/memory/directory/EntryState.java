package io.gauss.memory.directory;

/** Who has the right to a page. The numbers are part of {@link DirectoryEntryLayout}. */
public enum EntryState {
  /** Nobody: the page is read from storage, at the entry's LSN at least. */
  FREE(0),
  /** The memory tier: compute nodes may read it together. */
  MEMORY(1),
  /** One compute node, which alone may write it. */
  COMPUTE(2),
  /** On its way from one compute node to another. */
  IN_TRANSFER(3);

  private static final EntryState[] BY_ID = values();

  private final int id;

  EntryState(int id) {
    this.id = id;
  }

  public int id() {
    return id;
  }

  /**
   * The state of this number.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static EntryState of(int id) {
    if (id < 0 || id >= BY_ID.length) {
      throw new IllegalArgumentException("state " + id + " of a directory entry");
    }
    return BY_ID[id];
  }
}
