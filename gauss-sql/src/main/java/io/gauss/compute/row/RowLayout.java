package io.gauss.compute.row;

import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Where the columns of an encoded row lie. Little-endian.
 *
 * <pre>
 * offset  size          field
 * 0       1             version: 1
 * 1       2             number of columns, bits 0..14; bit 15: end offsets are 4 bytes wide, not 2
 * 3       (n + 7) / 8   NULL bits, column i is bit i % 8 of byte i / 8; 1 = NULL
 *         fixed         values of fixed width in column order; bytes of NULLs are 0
 *         w * variable  end offset of each variable value, from the start of the variable part
 *         ...           variable values one after the other
 * </pre>
 *
 * <p>The place of a column depends only on the columns before it, the number of columns and the
 * flag. So the same tables can read a row that was written before columns were added.
 */
final class RowLayout {
  static final int VERSION = 1;
  static final int COUNT = 1;
  static final int NULL_BITS = 3;
  static final int WIDE = 0x8000;
  static final int COUNT_MASK = 0x7FFF;

  /** How one column is stored. */
  enum Storage {
    BYTE(1),
    SHORT(2),
    INT(4),
    /** oid and the like. */
    UNSIGNED_INT(4),
    LONG(8),
    FLOAT(4),
    DOUBLE(8),
    /** numeric(p,s) with p &lt;= 9: unscaled int, the smallest one is NaN. */
    NUMERIC_INT(4),
    /** numeric(p,s) with p &lt;= 18: unscaled long, the smallest one is NaN. */
    NUMERIC_LONG(8),
    /** uuid and interval. */
    BYTES_16(16),
    /**
     * Any other numeric: tag (0 finite, else the special), scale (2 bytes), unscaled value
     * big-endian in as few bytes as possible.
     */
    NUMERIC_ANY(-1),
    BYTES(-1);

    final int width;

    Storage(int width) {
      this.width = width;
    }
  }

  final int columns;
  final Storage[] storage;

  /** Scale of compact numerics. */
  final int[] scale;

  /** Offset in the fixed part, or index among the variable values. */
  final int[] place;

  /** Bytes of the fixed part of the first n columns. */
  final int[] fixedBytes;

  /** Variable values among the first n columns. */
  final int[] variables;

  RowLayout(List<PgType> types) {
    columns = types.size();
    storage = new Storage[columns];
    scale = new int[columns];
    place = new int[columns];
    fixedBytes = new int[columns + 1];
    variables = new int[columns + 1];
    for (int i = 0; i < columns; i++) {
      PgType type = types.get(i);
      storage[i] = storageOf(type);
      scale[i] = type.isCompactNumeric() ? type.scale() : 0;
      int width = storage[i].width;
      boolean fixed = width > 0;
      place[i] = fixed ? fixedBytes[i] : variables[i];
      fixedBytes[i + 1] = fixedBytes[i] + (fixed ? width : 0);
      variables[i + 1] = variables[i] + (fixed ? 0 : 1);
    }
  }

  static Storage storageOf(PgType type) {
    return switch (type.kind()) {
      case LONG ->
          switch (type.oid()) {
            case 16 -> Storage.BYTE;
            case 21 -> Storage.SHORT;
            case 23, 1082 -> Storage.INT;
            case 26, 2205, 2206 -> Storage.UNSIGNED_INT;
            default -> Storage.LONG;
          };
      case DOUBLE -> type.is(PgType.FLOAT4) ? Storage.FLOAT : Storage.DOUBLE;
      case NUMERIC -> {
        if (!type.isCompactNumeric()) {
          yield Storage.NUMERIC_ANY;
        }
        yield type.precision() <= 9 ? Storage.NUMERIC_INT : Storage.NUMERIC_LONG;
      }
      case BYTES -> type.typlen() == 16 ? Storage.BYTES_16 : Storage.BYTES;
    };
  }

  static int nullBytes(int columns) {
    return (columns + 7) >> 3;
  }
}
