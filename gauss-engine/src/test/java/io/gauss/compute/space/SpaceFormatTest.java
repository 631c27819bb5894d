package io.gauss.compute.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.SpaceDirectoryLayout;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.mtr.EngineContext;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Golden bytes: these change only together with a format version. */
class SpaceFormatTest {

  private static String hex(TestEngine engine, long pageId, int offset, int length) {
    EngineContext ctx = engine.newContext();
    byte[] bytes = new byte[length];
    try (PageGuard guard = new PageGuard()) {
      engine.pool().read(ctx, pageId, guard);
      Memory.copyOut(guard.address() + offset, bytes, 0, length);
    }
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void spaceMap() {
    try (TestEngine engine = new TestEngine(16)) {
      int space = engine.spaces().create(engine.newContext());
      long map = PageId.of(space, 0);
      assertEquals("00000000d0070000", hex(engine, map, SpaceMapLayout.NUMBER, 8));
      assertEquals("0101000000000000", hex(engine, map, SpaceMapLayout.ENTRIES, 8));
      assertEquals("02", hex(engine, map, PageLayout.TYPE, 1));
      assertEquals("00200020", hex(engine, map, PageLayout.FREE_START, 4));
    }
  }

  @Test
  void offsets() {
    assertEquals(64, SpaceMapLayout.NUMBER);
    assertEquals(68, SpaceMapLayout.COUNT);
    assertEquals(128, SpaceMapLayout.ENTRIES);
    assertEquals(132, SpaceMapLayout.entry(2001));
    assertEquals(128_000, SpaceMapLayout.mapPage(2001));
    assertTrue(SpaceMapLayout.entry(1999) + SpaceMapLayout.ENTRY_BYTES <= PageLayout.PAGE_BYTES);
    assertEquals(3, SpaceDirectoryLayout.page(8000));
    assertEquals(64, SpaceDirectoryLayout.entry(8000));
    assertEquals(1022, SpaceDirectoryLayout.PAGES);
    assertEquals(
        SpaceDirectoryLayout.PAGES + SpaceDirectoryLayout.FIRST_PAGE,
        SpaceDirectoryLayout.EXTENTS * SpaceMapLayout.EXTENT_PAGES);
    assertEquals(80, MetaLayout.VALUES);
  }

  @Test
  void directoryAndMetaPage() {
    try (TestEngine engine = new TestEngine(16)) {
      long directory = PageId.of(SystemSpaces.SYSTEM, SpaceDirectoryLayout.FIRST_PAGE);
      assertEquals("0a", hex(engine, directory, PageLayout.TYPE, 1));
      assertEquals("0001000000", hex(engine, directory, SpaceDirectoryLayout.ENTRIES, 5));
      assertEquals("000100", hex(engine, directory, SpaceDirectoryLayout.entry(64), 3));
      long meta = PageId.of(SystemSpaces.SYSTEM, SystemSpaces.META_PAGE);
      assertEquals(
          "4741555353444231" + "04000000" + "00000000" + "0000000000000000",
          hex(engine, meta, MetaLayout.MAGIC, 24));
    }
  }
}
