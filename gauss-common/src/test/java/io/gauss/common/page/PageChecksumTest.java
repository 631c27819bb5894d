package io.gauss.common.page;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageChecksumTest {
  private static final long ID = PageId.of(5, 9);

  private final Arena arena = Arena.ofConfined();
  private final long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);

  @AfterEach
  void close() {
    arena.close();
  }

  private void written() {
    SlottedPage.format(page, PageType.TREE, 0, 0, ID, 1);
    Memory.putLong(page + PageLayout.LSN, 0x501);
    PageChecksum.set(page);
  }

  private GaussException refusal() {
    return assertThrows(GaussException.class, () -> PageChecksum.check(page, ID, "a test"));
  }

  @Test
  void aPageThatThisReleaseWroteIsTaken() {
    written();
    assertDoesNotThrow(() -> PageChecksum.check(page, ID, "a test"));
  }

  @Test
  void aPageThatWasNeverWrittenIsTakenThoughItHasNoVersion() {
    PageChecksum.set(page);
    assertDoesNotThrow(() -> PageChecksum.check(page, ID, "a test"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, PageLayout.CURRENT_VERSION + 1, 255})
  void aPageOfAnotherFormatIsRefused(int version) {
    written();
    Memory.putByte(page + PageLayout.VERSION, version);
    PageChecksum.set(page);
    GaussException e = refusal();
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, e.state());
    assertEquals(
        "page 5:9 from a test has format version "
            + version
            + ", and this release knows only version 1",
        e.getMessage());
  }

  @Test
  void damageIsToldBeforeAVersionThatMayBePartOfIt() {
    written();
    Memory.putByte(page + PageLayout.VERSION, 77);
    GaussException e = refusal();
    assertEquals(SqlState.DATA_CORRUPTED, e.state());
    assertTrue(e.getMessage().contains("a test"), e.getMessage());
  }
}
