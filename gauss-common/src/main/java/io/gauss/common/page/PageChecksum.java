package io.gauss.common.page;

import io.gauss.common.memory.Memory;
import java.util.zip.CRC32C;

/**
 * CRC32C of a page's bytes 4 to 8191, set when the bytes leave memory for disk or wire and verified
 * when they come in. It allocates a little, so it belongs to I/O and not to page accesses.
 */
public final class PageChecksum {
  private PageChecksum() {}

  public static int compute(long page) {
    CRC32C crc = new CRC32C();
    crc.update(
        Memory.buffer(page + PageLayout.VERSION, PageLayout.PAGE_BYTES - PageLayout.VERSION));
    return (int) crc.getValue();
  }

  public static void set(long page) {
    Memory.putInt(page + PageLayout.CHECKSUM, compute(page));
  }

  public static boolean verify(long page) {
    return Memory.getInt(page + PageLayout.CHECKSUM) == compute(page);
  }
}
