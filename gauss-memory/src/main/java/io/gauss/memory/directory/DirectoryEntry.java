package io.gauss.memory.directory;

import static io.gauss.memory.directory.DirectoryEntryLayout.BYTES;
import static io.gauss.memory.directory.DirectoryEntryLayout.CURRENT_VERSION;
import static io.gauss.memory.directory.DirectoryEntryLayout.FLAGS;
import static io.gauss.memory.directory.DirectoryEntryLayout.HAS_BYTES;

import io.gauss.common.memory.Memory;
import io.gauss.memory.coherence.DirectoryEvent.Want;
import io.gauss.memory.coherence.DirectoryPage;
import io.gauss.memory.coherence.Slots;
import java.util.List;

/**
 * A view of one entry of the page directory, in place: reads and writes are loads and stores
 * off-heap. One object is moved from entry to entry.
 *
 * <p>It is valid from {@link PageDirectory#find} or {@link PageDirectory#findOrCreate} until an
 * entry is created or removed other than through this view; belongs to the directory's thread.
 */
public final class DirectoryEntry {
  private long address;

  /** Moves the view to the entry at this address. */
  void at(long newAddress) {
    address = newAddress;
  }

  /** True for zeroes, which no valid entry consists of. */
  boolean isNew() {
    return Memory.getUnsignedByte(address + DirectoryEntryLayout.VERSION_OFFSET) == 0;
  }

  /** Makes it the entry of an unknown page. */
  void clear() {
    Memory.zero(address, BYTES);
    Memory.putByte(address + DirectoryEntryLayout.VERSION_OFFSET, CURRENT_VERSION);
  }

  /**
   * The entry in the form of the coherence protocol.
   *
   * @param waiting the requests kept beside it
   */
  public DirectoryPage page(List<Want> waiting) {
    return new DirectoryPage(
        state(), owner(), taker(), number(), sharers(), lsn(), hasBytes(), waiting);
  }

  /** Takes over all but the waiting requests. */
  public void set(DirectoryPage page) {
    Memory.putByte(address + DirectoryEntryLayout.STATE, DirectoryEntryLayout.id(page.state()));
    Memory.putByte(address + DirectoryEntryLayout.OWNER, slotOrNone(page.owner()));
    Memory.putByte(address + DirectoryEntryLayout.TAKER, slotOrNone(page.taker()));
    Memory.putByte(address + FLAGS, page.hasBytes() ? HAS_BYTES : 0);
    Memory.putLong(address + DirectoryEntryLayout.NUMBER, page.number());
    if ((page.sharers() & 1) != 0) {
      throw new IllegalArgumentException("slot 0 is no compute node's");
    }
    Memory.putLong(address + DirectoryEntryLayout.SHARERS, page.sharers());
    Memory.putLong(address + DirectoryEntryLayout.LSN, page.lsn());
  }

  private static int slotOrNone(int slot) {
    if (slot < 0 || slot > Slots.MAX) {
      throw new IllegalArgumentException("compute slot " + slot);
    }
    return slot;
  }

  public DirectoryPage.State state() {
    return DirectoryEntryLayout.state(Memory.getUnsignedByte(address + DirectoryEntryLayout.STATE));
  }

  public int owner() {
    return Memory.getUnsignedByte(address + DirectoryEntryLayout.OWNER);
  }

  public int taker() {
    return Memory.getUnsignedByte(address + DirectoryEntryLayout.TAKER);
  }

  long number() {
    return Memory.getLong(address + DirectoryEntryLayout.NUMBER);
  }

  public long sharers() {
    return Memory.getLong(address + DirectoryEntryLayout.SHARERS);
  }

  long lsn() {
    return Memory.getLong(address + DirectoryEntryLayout.LSN);
  }

  public boolean hasBytes() {
    return (Memory.getUnsignedByte(address + FLAGS) & HAS_BYTES) != 0;
  }

  // ---- as a whole

  /** Copies the entry's bytes, for a move of its bucket. */
  public void copyOut(byte[] to, int offset) {
    Memory.copyOut(address, to, offset, BYTES);
  }

  /**
   * Takes over the bytes of an entry.
   *
   * @throws IllegalArgumentException when their version is unknown
   */
  void copyIn(byte[] from, int offset) {
    int version = from[offset + DirectoryEntryLayout.VERSION_OFFSET];
    if (version != CURRENT_VERSION) {
      throw new IllegalArgumentException("version " + version + " of a directory entry");
    }
    DirectoryEntryLayout.state(from[offset + DirectoryEntryLayout.STATE]);
    Memory.copyIn(from, offset, address, BYTES);
  }

  @Override
  public String toString() {
    return page(List.of()).toString();
  }
}
