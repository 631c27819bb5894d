package io.gauss.memory.directory;

import static io.gauss.memory.directory.DirectoryEntryLayout.BYTES;
import static io.gauss.memory.directory.DirectoryEntryLayout.CURRENT_VERSION;
import static io.gauss.memory.directory.DirectoryEntryLayout.IMAGE_COUNT;
import static io.gauss.memory.directory.DirectoryEntryLayout.IMAGE_LSNS;
import static io.gauss.memory.directory.DirectoryEntryLayout.IMAGE_SLOTS;
import static io.gauss.memory.directory.DirectoryEntryLayout.MAX_IMAGES;
import static io.gauss.memory.directory.DirectoryEntryLayout.MAX_SLOT;

import io.gauss.common.id.Lsn;
import io.gauss.common.memory.Memory;

/**
 * A view of one entry of the page directory, in place: reading and writing it are loads and stores
 * off-heap. One object is moved from entry to entry and allocates nothing.
 *
 * <p>It is valid from {@link PageDirectory#find} or {@link PageDirectory#create} until the next
 * change of the same directory by another way than this view; belongs to the directory's thread.
 */
public final class DirectoryEntry {
  private long address;

  /** Looks at the entry that lies here. */
  void at(long newAddress) {
    address = newAddress;
  }

  /** True for zeroes, which no entry is. */
  boolean isNew() {
    return Memory.getUnsignedByte(address + DirectoryEntryLayout.VERSION_OFFSET) == 0;
  }

  /** Makes it the entry of a page of which nothing is known. */
  void clear() {
    Memory.zero(address, BYTES);
    Memory.putByte(address + DirectoryEntryLayout.VERSION_OFFSET, CURRENT_VERSION);
  }

  public EntryState state() {
    return EntryState.of(Memory.getUnsignedByte(address + DirectoryEntryLayout.STATE));
  }

  /** Slot of the compute node that owns the page or gives it away; 0 when none does. */
  public int owner() {
    return Memory.getUnsignedByte(address + DirectoryEntryLayout.OWNER);
  }

  /** Slot of the compute node that the page is on its way to; 0 when it is not on its way. */
  public int receiver() {
    return Memory.getUnsignedByte(address + DirectoryEntryLayout.RECEIVER);
  }

  public void free() {
    put(EntryState.FREE, 0, 0);
  }

  public void ownedByMemory() {
    put(EntryState.MEMORY, 0, 0);
  }

  public void ownedBy(int slot) {
    put(EntryState.COMPUTE, check(slot), 0);
  }

  public void inTransfer(int from, int to) {
    put(EntryState.IN_TRANSFER, check(from), check(to));
  }

  private void put(EntryState state, int owner, int receiver) {
    Memory.putByte(address + DirectoryEntryLayout.STATE, state.id());
    Memory.putByte(address + DirectoryEntryLayout.OWNER, owner);
    Memory.putByte(address + DirectoryEntryLayout.RECEIVER, receiver);
  }

  private static int check(int slot) {
    if (slot < 1 || slot > MAX_SLOT) {
      throw new IllegalArgumentException("slot " + slot + " of a compute node");
    }
    return slot;
  }

  /** Bit n is set when the compute node in slot n may read the page. */
  public long sharers() {
    return Memory.getLong(address + DirectoryEntryLayout.SHARERS);
  }

  public void sharers(long bitmap) {
    if ((bitmap & 1) != 0) {
      throw new IllegalArgumentException("slot 0 is no compute node's");
    }
    Memory.putLong(address + DirectoryEntryLayout.SHARERS, bitmap);
  }

  /** Number of the page's last transfer. */
  public int transfer() {
    return Memory.getInt(address + DirectoryEntryLayout.TRANSFER);
  }

  public void transfer(int number) {
    Memory.putInt(address + DirectoryEntryLayout.TRANSFER, number);
  }

  /** Number of the last time that the page was shared. */
  public int share() {
    return Memory.getInt(address + DirectoryEntryLayout.SHARE);
  }

  public void share(int number) {
    Memory.putInt(address + DirectoryEntryLayout.SHARE, number);
  }

  /** LSN of the page when it was last released or passed on; {@link Lsn#NONE} when never. */
  public long lsn() {
    return Memory.getLong(address + DirectoryEntryLayout.LSN);
  }

  /** Stream of the record with {@link #lsn}. */
  public int stream() {
    return Memory.getUnsignedShort(address + DirectoryEntryLayout.STREAM);
  }

  public void released(long lsn, int stream) {
    if (stream < 0 || stream > 0xFFFF) {
      throw new IllegalArgumentException("stream " + stream);
    }
    Memory.putLong(address + DirectoryEntryLayout.LSN, lsn);
    Memory.putShort(address + DirectoryEntryLayout.STREAM, stream);
  }

  // ---- past images

  public int images() {
    return Memory.getUnsignedByte(address + IMAGE_COUNT);
  }

  /** Slot of the compute node that has the past image. */
  public int imageSlot(int index) {
    return Memory.getUnsignedByte(address + IMAGE_SLOTS + index);
  }

  public long imageLsn(int index) {
    return Memory.getLong(address + IMAGE_LSNS + 8L * index);
  }

  /**
   * Notes a past image; a newer one of the same node replaces the older.
   *
   * @return false when there is no room: the node need not keep it then
   */
  public boolean addImage(int slot, long lsn) {
    check(slot);
    int count = images();
    int index = 0;
    while (index < count && imageSlot(index) != slot) {
      index++;
    }
    if (index == MAX_IMAGES) {
      return false;
    }
    if (index == count) {
      Memory.putByte(address + IMAGE_SLOTS + index, slot);
      Memory.putByte(address + IMAGE_COUNT, count + 1);
      Memory.putLong(address + IMAGE_LSNS + 8L * index, lsn);
    } else if (lsn > imageLsn(index)) {
      Memory.putLong(address + IMAGE_LSNS + 8L * index, lsn);
    }
    return true;
  }

  /** The others move up. */
  public void removeImage(int index) {
    int last = images() - 1;
    for (int i = index; i < last; i++) {
      Memory.putByte(address + IMAGE_SLOTS + i, imageSlot(i + 1));
      Memory.putLong(address + IMAGE_LSNS + 8L * i, imageLsn(i + 1));
    }
    Memory.putByte(address + IMAGE_SLOTS + last, 0);
    Memory.putLong(address + IMAGE_LSNS + 8L * last, 0);
    Memory.putByte(address + IMAGE_COUNT, last);
  }

  // ---- as a whole

  /** Copies the entry's bytes, for a move of its bucket. */
  public void copyOut(byte[] to, int offset) {
    Memory.copyOut(address, to, offset, BYTES);
  }

  /**
   * Takes over the bytes of an entry.
   *
   * @throws IllegalArgumentException when they are none that this code knows
   */
  public void copyIn(byte[] from, int offset) {
    int version = from[offset + DirectoryEntryLayout.VERSION_OFFSET];
    if (version != CURRENT_VERSION) {
      throw new IllegalArgumentException("version " + version + " of a directory entry");
    }
    EntryState.of(from[offset + DirectoryEntryLayout.STATE]);
    if (from[offset + IMAGE_COUNT] < 0 || from[offset + IMAGE_COUNT] > MAX_IMAGES) {
      throw new IllegalArgumentException(from[offset + IMAGE_COUNT] + " past images of a page");
    }
    Memory.copyIn(from, offset, address, BYTES);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(state().name());
    if (owner() != 0) {
      text.append(' ').append(owner());
    }
    if (receiver() != 0) {
      text.append(" to ").append(receiver());
    }
    text.append(", transfer ").append(transfer());
    text.append(", share ").append(share()).append(" of ");
    text.append(Long.toHexString(sharers()));
    text.append(", LSN ").append(Lsn.toString(lsn())).append(" of stream ").append(stream());
    for (int i = 0; i < images(); i++) {
      text.append(", image ").append(imageSlot(i)).append(' ').append(Lsn.toString(imageLsn(i)));
    }
    return text.toString();
  }
}
