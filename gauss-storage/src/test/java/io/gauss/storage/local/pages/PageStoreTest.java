package io.gauss.storage.local.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.page.SpaceDirectoryLayout;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page store above RocksDB, and what it does about damage to its files. */
@Timeout(180)
class PageStoreTest extends PageStoreContract {
  @TempDir Path directory;

  private final AtomicLong unreadable = new AtomicLong();

  @Override
  protected LocalPageStore open(PageStoreSettings with) {
    KeyValueStore db = RocksStore.open(directory, with.memtableBytes(), with.writeBytesPerSecond());
    return LocalPageStore.open(directory, with, failing(db));
  }

  /** Fails to read one page, as long as that is wanted. */
  private KeyValueStore failing(KeyValueStore db) {
    return (KeyValueStore)
        Proxy.newProxyInstance(
            KeyValueStore.class.getClassLoader(),
            new Class<?>[] {KeyValueStore.class},
            (self, method, arguments) -> {
              if (method.getName().equals("get")
                  && arguments[0] instanceof ByteBuffer key
                  && key.getLong(1) == unreadable.get()) {
                throw new KeyValueStore.Failure(SqlState.IO_ERROR, "unreadable", null);
              }
              try {
                return method.invoke(db, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void aSpaceIsDeletedAlthoughTheDirectoryCouldNotBeReadToItsEndAtFirst() {
    record(TestApply.FORMAT, PAGE, 0, 10);
    drop(7);
    unreadable.set(SpaceDirectoryLayout.pageId(SpaceDirectoryLayout.SPACES));
    assertEquals(SqlState.IO_ERROR, assertThrows(GaussException.class, store::checkpoint).state());
    unreadable.set(0);
    store.checkpoint();
    assertEquals(1, store.stats().spacesDeleted());
    assertEquals(0, read(PAGE, offset));
  }

  @Test
  void aDamagedPageIsReportedByPageAndDirectory() throws IOException {
    record(TestApply.FORMAT, PAGE, 0, 5000);
    store.checkpoint();
    store.close();
    flipAByteInEveryBlobFile();
    open();
    CompletableFuture<Long> read = store.readPage(PAGE, 1, offset, destination);
    assertEquals(SqlState.DATA_CORRUPTED, stateOf(read));
    CompletionException e = assertThrows(CompletionException.class, read::join);
    assertTrue(e.getMessage().contains(PageId.toString(PAGE)), e.getMessage());
    assertTrue(e.getMessage().contains(directory.toString()), e.getMessage());
  }

  @Test
  void aDamagedPageHoldsUpCheckpointsButNotTheOtherPagesAndIsTold() throws IOException {
    long lsn = record(TestApply.FORMAT, PAGE, 0, 5000);
    store.checkpoint();
    long checkpointed = store.checkpointOffset(1);
    store.close();
    flipAByteInEveryBlobFile();
    open();
    assertEquals(List.of(), store.problems());
    record(TestApply.WRITE, PAGE, lsn, 10);
    for (int i = 0; i < 10; i++) {
      record(TestApply.FORMAT, PageId.of(9, i + 1), 0, 10);
    }
    GaussException e = assertThrows(GaussException.class, store::checkpoint);
    assertEquals(SqlState.DATA_CORRUPTED, e.state());
    assertEquals(checkpointed, store.checkpointOffset(1));
    assertEquals(10, store.stats().pagesWritten());
    assertEquals("damaged pages", store.problems().getFirst().what());
    assertEquals(1, store.damagedPages());
    record(TestApply.FORMAT, PAGE, 0, 10);
    assertThrows(GaussException.class, store::checkpoint);
  }

  @Test
  void scrubbingFindsEveryDamagedPageAndNoOther() throws IOException {
    long[] lsns = new long[300];
    for (int i = 0; i < lsns.length; i++) {
      lsns[i] = record(TestApply.FORMAT, PageId.of(5 + i % 3, i), 0, 5000);
    }
    store.checkpoint();
    store.close();
    int flipped = flipBytes(50_000);
    open();
    for (int turn = 0; turn < 2 * flipped + 10; turn++) {
      store.scrub(lsns.length);
    }
    List<Long> found = store.damaged();
    assertEquals(flipped, found.size());
    for (int i = 0; i < lsns.length; i++) {
      long pageId = PageId.of(5 + i % 3, i);
      CompletableFuture<Long> read = store.readPage(pageId, destination);
      if (found.contains(pageId)) {
        assertEquals(SqlState.DATA_CORRUPTED, stateOf(read));
      } else {
        assertEquals(lsns[i], read.orTimeout(60, TimeUnit.SECONDS).join());
      }
    }
  }

  /** Flips a bit in each file with pages at this distance in bytes; returns how many. */
  private int flipBytes(int distance) throws IOException {
    int flipped = 0;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".blob")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        for (int at = 5000; at < bytes.length - 5000; at += distance) {
          bytes[at] ^= 1;
          flipped++;
        }
        Files.write(file, bytes);
      }
    }
    assertTrue(flipped > 3);
    return flipped;
  }

  private void flipAByteInEveryBlobFile() throws IOException {
    int found = 0;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".blob")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes, StandardOpenOption.TRUNCATE_EXISTING);
        found++;
      }
    }
    assertTrue(found > 0);
  }
}
