package io.gauss.server.format;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.OverflowPage;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PurgeListLayout;
import io.gauss.common.page.SlottedPage;
import io.gauss.common.page.SpaceDirectoryLayout;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.UndoDirectoryLayout;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.page.UndoSegmentLayout;
import io.gauss.common.page.UndoTableLayout;
import io.gauss.common.page.VersionHeader;
import io.gauss.common.redo.MtrLayout;
import io.gauss.common.redo.RedoBuilder;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.catalog.CatalogExamples;
import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.row.RowCodec;
import io.gauss.compute.space.MetaLayout;
import io.gauss.compute.space.SpaceMapLayout;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.JsonbBuilder;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import io.gauss.memory.cache.PageCache;
import io.gauss.memory.cache.SlotKind;
import io.gauss.memory.cache.SlotLayout;
import io.gauss.memory.coherence.DirectoryPage;
import io.gauss.memory.directory.DirectoryEntry;
import io.gauss.memory.directory.DirectoryEntryLayout;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.server.format.Format.Space;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Pages, what changes them, and what lies on them. */
final class PageFormats {
  private static final long ID = PageId.of(5, 9);
  private static final byte[] VERSION_HEADER = versionHeader();

  private final List<Format> all = new ArrayList<>();
  private final Arena arena = Arena.ofConfined();
  private final long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);
  private final RedoBuilder redo = new RedoBuilder();

  private PageFormats() {}

  static List<Format> all() {
    PageFormats formats = new PageFormats();
    try (formats.arena) {
      formats.pages();
      formats.redo();
      formats.undo();
      formats.rows();
      formats.memory();
      return formats.all;
    }
  }

  private static byte[] versionHeader() {
    byte[] header = new byte[VersionHeader.BYTES];
    VersionHeader.write(header, VersionHeader.DELETED, 0x0001_0000_0000_0002L, 3, 4, 0x501);
    return header;
  }

  private static byte[] out(long from, int bytes) {
    byte[] copy = new byte[bytes];
    Memory.copyOut(from, copy, 0, bytes);
    return copy;
  }

  // ---- pages

  private void page(int type, String classes, Consumer<Long> content) {
    SlottedPage.format(page, type, 0, 0, ID, 7);
    Memory.putLong(page + PageLayout.LSN, 0x501);
    content.accept(page);
    all.add(
        Format.of(
            Space.PAGE,
            type,
            PageLayout.CURRENT_VERSION,
            PageType.name(type),
            ("PageLayout " + classes).strip(),
            out(page, PageLayout.PAGE_BYTES)));
  }

  private void pages() {
    page(PageType.FREE, "", at -> {});
    page(
        PageType.META,
        "MetaLayout",
        at -> {
          Memory.putLong(at + MetaLayout.MAGIC, MetaLayout.MAGIC_VALUE);
          Memory.putInt(at + MetaLayout.VERSION, MetaLayout.CURRENT_VERSION);
          Memory.putLong(at + MetaLayout.VALUES, 1);
        });
    page(
        PageType.SPACE_MAP,
        "SpaceMapLayout",
        at -> {
          Memory.putInt(at + SpaceMapLayout.NUMBER, 3);
          Memory.putInt(at + SpaceMapLayout.COUNT, SpaceMapLayout.EXTENTS);
          long entry = at + SpaceMapLayout.entry(1);
          Memory.putByte(entry + SpaceMapLayout.ENTRY_NODE, 2);
          Memory.putByte(entry + SpaceMapLayout.ENTRY_STATE, SpaceMapLayout.TAKEN);
          Memory.putShort(entry + SpaceMapLayout.ENTRY_FREED, 4);
        });
    page(PageType.TREE, "", this::leaf);
    page(
        PageType.OVERFLOW,
        "",
        at -> {
          Memory.putShort(at + OverflowPage.LENGTH, 2);
          Memory.putShort(OverflowPage.data(at), 0x0B0A);
        });
    page(
        PageType.UNDO,
        "UndoRecordLayout",
        at -> {
          redo.start(RedoType.UNDO_APPEND, ID, 0).bytes(undoRecord(UndoContentLayout.KIND_LOCK));
          Memory.putInt(at + UndoPage.SEGMENT, 3);
          redo.applyTo(at);
        });
    page(
        PageType.UNDO_TABLE,
        "UndoTableLayout",
        at -> {
          Memory.putInt(at + UndoTableLayout.SEGMENT, 3);
          Memory.putLong(at + UndoTableLayout.CHUNK, 2);
          Memory.putLong(at + UndoTableLayout.FIRST_ENTRY, UndoTableLayout.ENTRY_ABORTED);
          Memory.putLong(at + UndoTableLayout.FIRST_ENTRY + 8, 0x601);
        });
    page(
        PageType.UNDO_SEGMENT,
        "UndoSegmentLayout",
        at -> {
          Memory.putInt(at + UndoSegmentLayout.SEGMENT, 1);
          Memory.putInt(at + UndoSegmentLayout.TABLE_FIRST, 2);
          Memory.putInt(at + UndoSegmentLayout.TABLE_LAST, 3);
          Memory.putInt(at + UndoSegmentLayout.UNDO_FIRST, 4);
          Memory.putInt(at + UndoSegmentLayout.UNDO_LAST, 5);
          Memory.putInt(at + UndoSegmentLayout.UNDO_PREVIOUS, 6);
          Memory.putLong(at + UndoSegmentLayout.MARK_XID, 7);
          Memory.putInt(at + UndoSegmentLayout.MARK_PAGE, 8);
          Memory.putInt(at + UndoSegmentLayout.MARK_SLOT, 9);
          Memory.putInt(at + UndoSegmentLayout.MARK_FROM_PAGE, 10);
          Memory.putInt(at + UndoSegmentLayout.MARK_FROM_SLOT, 11);
          Memory.putLong(at + UndoSegmentLayout.OVERWRITTEN_CSN, 12);
        });
    page(
        PageType.UNDO_DIRECTORY,
        "UndoDirectoryLayout",
        at -> {
          Memory.putInt(at + UndoDirectoryLayout.FIRST_SEGMENT, 1);
          Memory.putInt(at + UndoDirectoryLayout.PURGE_LIST, 2);
          Memory.putInt(at + UndoDirectoryLayout.FIRST_ENTRY, 3);
        });
    page(PageType.SEQUENCE, "", at -> {});
    page(
        PageType.SPACE_DIRECTORY,
        "SpaceDirectoryLayout",
        at -> Memory.putByte(at + SpaceDirectoryLayout.entry(3), SpaceDirectoryLayout.DROPPED));
    page(
        PageType.PURGE_LIST,
        "PurgeListLayout",
        at -> Memory.putLong(at + PurgeListLayout.entry(1), ID));
  }

  /** A leaf with two records and fences. */
  private void leaf(long at) {
    redo.formatTree(at, ID, 0, bytes("item/"), bytes("item/9"), 5);
    insert(at, 0, "1", "one");
    insert(at, 1, "2", "two");
  }

  private void insert(long at, int slot, String suffix, String row) {
    redo.start(RedoType.INSERT, ID, 0).u16(slot).bytes(leafRecord(suffix, row)).applyTo(at);
  }

  private static byte[] leafRecord(String suffix, String row) {
    return concat(
        new byte[] {(byte) suffix.length(), 0}, VERSION_HEADER, bytes(suffix), bytes(row));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] concat(byte[]... parts) {
    int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
    byte[] whole = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, whole, at, part.length);
      at += part.length;
    }
    return whole;
  }

  // ---- redo

  /** The record, and what becomes by it of the page that {@link #leaf} makes. */
  private void redo(int type, Consumer<RedoBuilder> payload) {
    if (type == RedoType.UNDO_APPEND) {
      SlottedPage.format(page, PageType.UNDO, 0, 0, ID, 1);
    } else {
      leaf(page);
    }
    payload.accept(redo.start(type, ID, Memory.getLong(page + PageLayout.LSN)));
    byte[] record = out(redo.end(), redo.length());
    redo.applyTo(page);
    all.add(
        Format.of(
            Space.REDO,
            type,
            MtrLayout.VERSION,
            RedoType.name(type),
            "MtrLayout",
            record,
            out(page, PageLayout.PAGE_BYTES)));
  }

  private void redo() {
    redo(
        RedoType.FORMAT,
        r ->
            r.u8(PageType.TREE)
                .u8(1)
                .u8(PageLayout.FLAG_INCOMPLETE_SPLIT)
                .u8(0)
                .u32(8)
                .u32(77)
                .u16(1)
                .u16(2)
                .u16(2)
                .bytes(bytes("abac")));
    redo(
        RedoType.IMAGE,
        r ->
            r.u16(PageLayout.HEADER_BYTES)
                .u16(PageLayout.PAGE_BYTES - 2)
                .memory(page + 4, PageLayout.HEADER_BYTES - 4)
                .u16(0x0B0A));
    redo(RedoType.INSERT, r -> r.u16(2).bytes(leafRecord("3", "three")));
    redo(RedoType.SPLICE, r -> r.u16(1).u16(27).u16(1).bytes(bytes("TT")));
    redo(RedoType.REMOVE, r -> r.u16(0).u16(1));
    redo(RedoType.REMOVE_MANY, r -> r.u16(0).u16(1));
    redo(RedoType.WRITE, r -> r.u16(4000).bytes(bytes("xyz")));
    redo(
        RedoType.REFENCE,
        r ->
            r.u16(1)
                .u8(0)
                .u8(0)
                .u32(78)
                .u16(6)
                .u16(6)
                .u16(6)
                .bytes(bytes("item/1"))
                .bytes(bytes("item/2")));
    redo(
        RedoType.VERSION,
        r -> r.u16(1).bytes(new byte[VersionHeader.BYTES]).u16(27).u16(1).bytes(bytes("T")));
    redo(RedoType.UNDO_APPEND, r -> r.bytes(undoRecord(UndoContentLayout.KIND_LOCK)));
    redo(
        RedoType.INSERT_MANY,
        r -> {
          r.bytes(VERSION_HEADER).u8(2).u16(1).u16(5).bytes(bytes("3three"));
          r.u8(0).u16(1).u16(4).bytes(bytes("5five"));
        });
  }

  // ---- undo

  private byte[] undoRecord(int kind) {
    byte[] key = bytes("kk");
    byte[] old = bytes("old");
    long at = Memory.allocate(arena, UndoContentLayout.KEY + key.length + old.length, 8);
    Memory.putLong(at + UndoRecordLayout.LSN, 0x501);
    Memory.putLong(at + UndoRecordLayout.XID, 0x0001_0000_0000_0002L);
    Memory.putInt(at + UndoRecordLayout.PREVIOUS_PAGE, 3);
    Memory.putShort(at + UndoRecordLayout.PREVIOUS_SLOT, 4);
    Memory.putByte(at + UndoContentLayout.KIND, kind);
    Memory.putInt(at + UndoContentLayout.SPACE, 5);
    Memory.copyIn(VERSION_HEADER, 0, at + UndoContentLayout.OLD_VERSION, VersionHeader.BYTES);
    Memory.putShort(at + UndoContentLayout.KEY_LENGTH, key.length);
    Memory.putShort(at + UndoContentLayout.ROW_AT, 7);
    Memory.putShort(at + UndoContentLayout.NEW_BYTES, 9);
    Memory.copyIn(key, 0, at + UndoContentLayout.KEY, key.length);
    Memory.copyIn(old, 0, at + UndoContentLayout.KEY + key.length, old.length);
    return out(at, UndoContentLayout.KEY + key.length + old.length);
  }

  private void undo(int kind, String name) {
    all.add(
        Format.of(
            Space.UNDO,
            kind,
            PageLayout.CURRENT_VERSION,
            name,
            "UndoContentLayout",
            undoRecord(kind)));
  }

  private void undo() {
    undo(UndoContentLayout.KIND_INSERT, "INSERT");
    undo(UndoContentLayout.KIND_UPDATE, "UPDATE");
    undo(UndoContentLayout.KIND_DELETE, "DELETE");
    undo(UndoContentLayout.KIND_LOCK, "LOCK");
    undo(UndoContentLayout.KIND_INSERT_RUN, "INSERT_RUN");
    undo(UndoContentLayout.KIND_INSERT_LISTED, "INSERT_LISTED");
    undo(UndoContentLayout.KIND_OVERFLOW, "OVERFLOW");
    undo(UndoContentLayout.KIND_MOVE, "MOVE");
  }

  // ---- rows

  private static byte[] jsonb() {
    JsonbBuilder value = new JsonbBuilder();
    byte[] names = bytes("ba");
    value.objectStart();
    value.name(names, 0, 1);
    value.bool(true);
    value.name(names, 1, 1);
    value.arrayStart();
    value.nothing();
    value.string(names, 0, 2);
    value.arrayEnd();
    value.objectEnd();
    Value finished = new Value();
    value.finish(finished);
    return Arrays.copyOfRange(finished.bytes, finished.off, finished.off + finished.len);
  }

  private void rows() {
    List<PgType> types = List.of(PgType.INT4, PgType.TEXT, PgType.INT8);
    Value[] values = {new Value(), new Value(), new Value()};
    values[0].setLong(7);
    byte[] text = bytes("ab");
    values[1].setBytes(text, 0, text.length);
    values[2].setNull();
    ByteSink row = new ByteSink();
    new RowCodec(types).encode(values, row);
    all.add(Format.of(Space.ROW, "row", 1, "row of a table", "RowCodec RowLayout", written(row)));
    ByteSink key = new ByteSink();
    KeyCodec.primaryKey(types.subList(0, 2)).encode(values, 2, key);
    all.add(Format.of(Space.ROW, "key", 1, "key of a tree", "KeyCodec", written(key)));
    all.add(Format.of(Space.ROW, "jsonb", 1, "value of type jsonb", "JsonbLayout", jsonb()));
    all.add(
        Format.of(
            Space.ROW,
            "catalog",
            CatalogExamples.VERSION,
            "object of the catalog",
            "CatalogCodec AccessCodec",
            CatalogExamples.schema(),
            CatalogExamples.table(),
            CatalogExamples.enumType(),
            CatalogExamples.domain()));
  }

  private static byte[] written(ByteSink sink) {
    return Arrays.copyOf(sink.array, sink.length);
  }

  // ---- memory nodes

  private void memory() {
    byte[] entry = new byte[DirectoryEntryLayout.BYTES];
    try (PageDirectory directory = new PageDirectory("formats", 1000)) {
      DirectoryEntry view = new DirectoryEntry();
      directory.findOrCreate(ID, view);
      view.set(
          new DirectoryPage(DirectoryPage.State.SHARED, 0, 0, 5, 0b110, 0x501, true, List.of()));
      view.copyOut(entry, 0);
    }
    all.add(
        Format.of(
            Space.MEMORY,
            "entry",
            DirectoryEntryLayout.CURRENT_VERSION,
            "entry of the page directory",
            "DirectoryEntryLayout",
            entry));
    PageCache cache = new PageCache(2L * SlotLayout.BYTES, gone -> {});
    SlottedPage.format(page, PageType.TREE, 0, 0, ID, 7);
    cache.put(ID, SlotKind.PAGE, 0x501, 3, page);
    all.add(
        Format.of(
            Space.MEMORY,
            "slot",
            SlotLayout.CURRENT_VERSION,
            "slot of the page cache",
            "SlotLayout",
            out(cache.find(ID), SlotLayout.BYTES)));
  }
}
