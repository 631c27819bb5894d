package io.gauss.compute.space;

import io.gauss.common.page.PageLayout;

/**
 * The meta page, page 1 of the system space: where a database begins.
 *
 * <pre>
 * offset size
 *   0    64   page header, type META
 *  64     8   magic "GAUSSDB1"
 *  72     4   format version
 *  76     4   zero
 *  80  8*64   values, see {@link MetaPage.Value}
 * </pre>
 */
public final class MetaLayout {
  public static final int MAGIC = PageLayout.HEADER_BYTES;
  public static final int VERSION = MAGIC + 8;
  public static final int VALUES = VERSION + 8;
  public static final int VALUE_COUNT = 64;

  /** The bytes {@code GAUSSDB1}, read as a little-endian integer. */
  public static final long MAGIC_VALUE = 0x3142_4453_5355_4147L;

  public static final int CURRENT_VERSION = 4;

  private MetaLayout() {}
}
