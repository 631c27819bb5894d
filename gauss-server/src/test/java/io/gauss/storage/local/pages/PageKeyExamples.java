package io.gauss.storage.local.pages;

import java.nio.ByteBuffer;

/** Bytes of the page store's keys and values, for the registry of formats. */
public final class PageKeyExamples {
  private PageKeyExamples() {}

  public static byte[] pageKey() {
    ByteBuffer key = ByteBuffer.allocate(PageKeyLayout.PAGE_KEY_BYTES);
    PageKeyLayout.pageKey(key, 0x0000000700000003L);
    return key.array();
  }

  public static byte[] metaKey() {
    return PageKeyLayout.metaKey();
  }

  public static byte[] metaValue() {
    return PageKeyLayout.metaValue();
  }

  public static byte[] streamKey() {
    return PageKeyLayout.streamKey(0x0102);
  }

  public static byte[] streamValue() {
    return PageKeyLayout.streamValue(0x1112131415161718L);
  }
}
