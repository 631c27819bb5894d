package io.gauss.compute.type;

/**
 * How a jsonb value is stored: a tree of nodes, each of which is read from its end. So a node is
 * written without knowing its length before, and a part of a value is a value itself, without being
 * copied.
 *
 * <pre>
 * node     content, then 1 byte: bits 0..2 kind, bits 3..4 width w of offsets (0 = 1 byte, 1 = 2, 2 = 4), the others 0
 *
 * null     0   no content
 * false    1   no content
 * true     2   no content
 * integer  3   number, big-endian, two's complement, in as few bytes as possible
 * decimal  4   the digits as such a number, then the digits behind the point (2 bytes, big-endian)
 * string   5   UTF-8
 * array    6   elements (nodes); end of each (w bytes); number of elements (w bytes)
 * object   7   fields; start and end of each (w bytes each), in the order of the names; number of fields (w bytes)
 * field        length of the name (1 byte below 128, else 4 bytes big-endian with the highest bit set), name (UTF-8), value (node)
 * </pre>
 *
 * <p>Offsets count from the node's first byte and are little-endian. Names are ordered by length,
 * then by bytes, as in PostgreSQL, and each occurs once; the fields themselves stand in the order
 * in which they were written. Between them may be what belongs to names that were written again.
 */
final class JsonbLayout {
  static final int KIND_MASK = 7;
  static final int WIDTH_SHIFT = 3;
  static final int WIDTH_MASK = 3;

  /** Names from this length on have a length of four bytes. */
  static final int LONG_NAME = 0x80;

  static final int LONG_NAME_FLAG = 0x8000_0000;
  static final int LONG_NAME_BYTES = 4;
  static final int SCALE_BYTES = 2;

  private JsonbLayout() {}

  /** Code of the narrowest width for offsets up to a number. */
  static int widthCode(int largest) {
    return largest <= 0xFF ? 0 : largest <= 0xFFFF ? 1 : 2;
  }
}
