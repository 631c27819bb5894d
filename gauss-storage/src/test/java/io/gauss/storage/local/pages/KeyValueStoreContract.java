package io.gauss.storage.local.pages;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of what lies below a page store. */
@Timeout(180)
public abstract class KeyValueStoreContract {
  private KeyValueStore store;

  /** Opens the store; the first time it is empty, later it is the same one again. */
  protected abstract KeyValueStore open();

  @BeforeEach
  final void openStore() {
    store = open();
  }

  @AfterEach
  final void closeStore() {
    store.close();
  }

  private void reopen() {
    store.close();
    store = open();
  }

  private static byte[] key(int number) {
    return PageKeyLayout.streamKey(number);
  }

  private static byte[] value(int number) {
    return PageKeyLayout.streamValue(number);
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private List<Integer> keys(KeyValueStore.Cursor cursor) throws KeyValueStore.Failure {
    List<Integer> keys = new ArrayList<>();
    for (cursor.seek(key(0)); cursor.isValid(); cursor.next()) {
      int number = PageKeyLayout.streamOfKey(cursor.key());
      assertArrayEquals(value(number), cursor.value());
      keys.add(number);
    }
    cursor.check();
    return keys;
  }

  @Test
  void whatIsWrittenIsReadAndWhatIsDeletedIsNot() throws KeyValueStore.Failure {
    assertNull(store.get(key(1)));
    store.put(key(1), value(1));
    store.put(direct(key(2)), direct(value(2)));
    assertArrayEquals(value(1), store.get(key(1)));
    ByteBuffer to = ByteBuffer.allocateDirect(100);
    assertEquals(value(2).length, store.get(direct(key(2)), to));
    byte[] read = new byte[value(2).length];
    to.get(0, read);
    assertArrayEquals(value(2), read);
    store.delete(key(1));
    assertNull(store.get(key(1)));
    assertEquals(KeyValueStore.NOT_FOUND, store.get(direct(key(1)), to));
  }

  @Test
  void ofARangeAllKeysAreDeletedAndNoOthers() throws KeyValueStore.Failure {
    for (int number = 1; number <= 6; number++) {
      store.put(key(number), value(number));
    }
    store.checkpoint(Map.of());
    store.deleteRange(key(2), key(5));
    store.reclaim();
    store.put(key(3), value(3));
    try (KeyValueStore.Cursor cursor = store.cursor()) {
      assertEquals(List.of(1, 3, 5, 6), keys(cursor));
    }
    assertNull(store.get(key(2)));
    assertTrue(store.reclaimedBytes() >= 0);
    store.checkpoint(Map.of());
    reopen();
    try (KeyValueStore.Cursor cursor = store.cursor()) {
      assertEquals(List.of(1, 3, 5, 6), keys(cursor));
    }
  }

  @Test
  void aRangeIsDeletedAfterWhatWasWrittenBefore() throws KeyValueStore.Failure {
    for (int round = 0; round < 10; round++) {
      store.put(key(1), value(1));
      store.checkpoint(Map.of());
      store.put(key(7), value(round));
      store.deleteRange(key(1), key(3));
      reopen();
      byte[] before = store.get(key(7));
      boolean isWritten = before != null && PageKeyLayout.offsetOfStreamValue(before) == round;
      assertTrue(isWritten || store.get(key(1)) != null, "deleted, but not written");
    }
  }

  @Test
  void aCursorSeesKeysInTheOrderOfTheirUnsignedBytes() throws KeyValueStore.Failure {
    for (int number : new int[] {0x80, 3, 0x7F, 1, 0xFF00, 0}) {
      store.put(key(number), value(number));
    }
    try (KeyValueStore.Cursor cursor = store.cursor()) {
      assertEquals(List.of(0, 1, 3, 0x7F, 0x80, 0xFF00), keys(cursor));
    }
  }

  @Test
  void aSnapshotStaysAsItIs() throws KeyValueStore.Failure {
    store.put(key(1), value(1));
    store.put(key(2), value(2));
    try (KeyValueStore.Cursor cursor = store.snapshot()) {
      store.delete(key(1));
      store.put(key(3), value(3));
      assertEquals(List.of(1, 2), keys(cursor));
    }
    try (KeyValueStore.Cursor cursor = store.snapshot()) {
      assertEquals(List.of(2, 3), keys(cursor));
    }
  }

  @Test
  void aCheckpointIsDurableWithEverythingBefore() throws KeyValueStore.Failure {
    store.put(key(1), value(1));
    store.put(key(2), value(2));
    store.delete(key(1));
    Map<byte[], byte[]> last = new LinkedHashMap<>();
    last.put(key(3), value(3));
    store.checkpoint(last);
    reopen();
    try (KeyValueStore.Cursor cursor = store.cursor()) {
      assertEquals(List.of(2, 3), keys(cursor));
    }
  }

  @Test
  void ofTheWritesAfterACheckpointThoseUpToSomeMomentSurvive() throws KeyValueStore.Failure {
    for (int round = 0; round < 10; round++) {
      store.checkpoint(Map.of());
      for (int i = 0; i < 20; i++) {
        store.put(key(100 * round + i), value(100 * round + i));
      }
      reopen();
      boolean isLost = false;
      for (int i = 0; i < 20; i++) {
        boolean isThere = store.get(key(100 * round + i)) != null;
        assertFalse(isThere && isLost, "a write survived one before it");
        isLost |= !isThere;
      }
    }
  }

  @Test
  void aWalkSeesThePagesOnly() throws KeyValueStore.Failure {
    ByteBuffer key = ByteBuffer.allocateDirect(PageKeyLayout.PAGE_KEY_BYTES);
    for (int page = 1; page <= 5; page++) {
      PageKeyLayout.pageKey(key, PageId.of(7, page));
      store.put(key, direct(value(page)));
    }
    store.put(key(1), value(1));
    List<Long> seen = new ArrayList<>();
    long next = store.walk(0, 3, seen::add);
    assertEquals(PageId.of(7, 4), next);
    assertEquals(PageId.NONE, store.walk(next, 3, seen::add));
    assertEquals(5, seen.size());
    assertTrue(seen.contains(PageId.of(7, 5)));
  }
}
