package io.gauss.common.redo;

/**
 * Types of redo records. Numbers are part of the format. Payloads (after the record header of
 * {@link MtrLayout}), u16 and so on little-endian; "bytes" runs to the record's end:
 *
 * <pre>
 * FORMAT       type u8, level u8, flags u8, zero u8, generation u32, right sibling u32,
 *              prefix length u16, low length u16, high length u16 (0xFFFF none), low fence, high key
 * IMAGE        hole start u16, hole end u16, page bytes 4 up to hole start, page bytes from hole end
 * INSERT       slot u16, bytes of the record
 * SPLICE       slot u16, at u16, remove u16, bytes
 * REMOVE       slot u16, count u16
 * REMOVE_MANY  slots u16 each, ascending
 * WRITE        offset u16, bytes
 * REFENCE      keep u16, flags u8, zero u8, right sibling u32, prefix length u16, low length u16,
 *              high length u16, low fence, high key: records from slot keep on are dropped
 * VERSION      slot u16, version header (24 bytes), at u16, remove u16, bytes: writes a leaf record's version header
 *              and splices its record (at counts from the record's start)
 * UNDO_APPEND  bytes of the undo record (with the chain header)
 * INSERT_MANY  version header (24 bytes), then for each new leaf record, ascending: records of the page
 *              to pass over u8, suffix length u16, row length u16, key suffix, row
 * </pre>
 */
public final class RedoType {
  public static final int FORMAT = 1;
  public static final int IMAGE = 2;
  public static final int INSERT = 3;
  public static final int SPLICE = 4;
  public static final int REMOVE = 5;
  public static final int REMOVE_MANY = 6;
  public static final int WRITE = 7;
  public static final int REFENCE = 8;
  public static final int VERSION = 9;
  public static final int UNDO_APPEND = 10;
  public static final int INSERT_MANY = 11;

  private RedoType() {}

  public static String name(int type) {
    return switch (type) {
      case FORMAT -> "FORMAT";
      case IMAGE -> "IMAGE";
      case INSERT -> "INSERT";
      case SPLICE -> "SPLICE";
      case REMOVE -> "REMOVE";
      case REMOVE_MANY -> "REMOVE_MANY";
      case WRITE -> "WRITE";
      case REFENCE -> "REFENCE";
      case VERSION -> "VERSION";
      case UNDO_APPEND -> "UNDO_APPEND";
      case INSERT_MANY -> "INSERT_MANY";
      default -> "type " + type;
    };
  }
}
