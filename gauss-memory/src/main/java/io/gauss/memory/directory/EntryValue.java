package io.gauss.memory.directory;

import net.openhft.chronicle.bytes.Byteable;
import net.openhft.chronicle.bytes.BytesStore;

/**
 * The address of an entry's bytes, for Chronicle Map, which moves this object from entry to entry
 * instead of copying bytes. {@link DirectoryEntry} interprets the bytes.
 */
public final class EntryValue implements Byteable {
  private BytesStore<?, ?> store;
  private long offset;

  /** Absolute address of the entry's first byte. */
  @Override
  public long address() {
    return store.addressForRead(offset);
  }

  @Override
  @SuppressWarnings("rawtypes") // raw type in the interface
  public void bytesStore(BytesStore bytesStore, long newOffset, long length) {
    if (length != DirectoryEntryLayout.BYTES) {
      throw new IllegalArgumentException("a directory entry of " + length + " bytes");
    }
    store = bytesStore;
    offset = newOffset;
  }

  @Override
  public BytesStore<?, ?> bytesStore() {
    return store;
  }

  @Override
  public long offset() {
    return offset;
  }

  @Override
  public long maxSize() {
    return DirectoryEntryLayout.BYTES;
  }
}
