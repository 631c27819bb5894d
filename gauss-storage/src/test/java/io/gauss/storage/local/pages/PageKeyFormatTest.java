package io.gauss.storage.local.pages;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Golden bytes of the page store's data, in addition to those of the log. */
class PageKeyFormatTest {
  private static void assertGolden(String expected, byte[] actual) {
    assertEquals(expected.replaceAll("\\s", ""), HexFormat.of().formatHex(actual));
  }

  @Test
  void pageStoreKeysAndValues() {
    ByteBuffer key = ByteBuffer.allocate(PageKeyLayout.PAGE_KEY_BYTES);
    PageKeyLayout.pageKey(key, 0x0000000700000003L);
    assertGolden("70 0000000700000003", key.array());
    assertArrayEquals(new byte[] {'m'}, PageKeyLayout.metaKey());
    assertGolden("010000007fe12295", PageKeyLayout.metaValue());
    assertGolden("73 00000102", PageKeyLayout.streamKey(0x0102));
    byte[] value = PageKeyLayout.streamValue(0x1112131415161718L);
    assertGolden("0100000000000000181716151413121100000000fd70d8e4", value);
    assertEquals(0x1112131415161718L, PageKeyLayout.offsetOfStreamValue(value));
    value[9] ^= 1;
    assertEquals(-1, PageKeyLayout.offsetOfStreamValue(value));
  }
}
