package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/**
 * oid, and the reg types by number. Names of regclass and regtype need a catalog or {@link
 * PgTypes}, so a conversion handles them. Here they are numbers, except that type names are read
 * and printed.
 */
final class OidCodec extends TypeCodec {
  private static final long MAX = 0xFFFF_FFFFL;
  private final PgType type;

  OidCodec(PgType type) {
    this.type = type;
  }

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    if (value.l == 0 && !type.is(PgType.OID)) {
      out.putByte('-');
      return;
    }
    PgType named = type.is(PgType.REGTYPE) ? PgTypes.byOidOrNull((int) value.l) : null;
    if (named != null) {
      out.putString(named.displayName());
    } else if (type.is(PgType.REGPROC) && TypeFunctions.name((int) value.l) != null) {
      out.putString(TypeFunctions.name((int) value.l));
    } else if (type.is(PgType.REGCLASS)) {
      String name = ctx.relationName((int) value.l);
      if (name == null) {
        out.putDecimal(value.l);
      } else {
        out.putString(name);
      }
    } else {
      out.putDecimal(value.l);
    }
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    out.putInt((int) value.l);
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    int end = offset + length;
    int p = Ascii.skipSpace(from, offset, end);
    boolean number = p < end && (Ascii.isDigit(from[p]) || from[p] == '-' || from[p] == '+');
    if (!number && !type.is(PgType.OID)) {
      readName(TypeErrors.text(from, offset, length), ctx, out);
      return;
    }
    if (end - p == 1 && from[p] == '-' && !type.is(PgType.OID)) {
      out.setLong(0);
      return;
    }
    boolean negative = p < end && from[p] == '-';
    if (p < end && (negative || from[p] == '+')) {
      p++;
    }
    if (p == end || !Ascii.isDigit(from[p])) {
      throw TypeErrors.invalidSyntax(PgType.OID, from, offset, length);
    }
    long value = 0;
    while (p < end && Ascii.isDigit(from[p])) {
      value = Math.min(value * 10 + from[p++] - '0', MAX * 10);
    }
    if (Ascii.skipSpace(from, p, end) != end) {
      throw TypeErrors.invalidSyntax(PgType.OID, from, offset, length);
    }
    // Down to -2^31 a negative number is read as the unsigned number with the same bits, as in
    // PostgreSQL.
    if (value > MAX || (negative && value > 1L << 31)) {
      throw TypeErrors.textOutOfRange(PgType.OID, from, offset, length);
    }
    out.setLong(negative ? -value & MAX : value);
  }

  private void readName(String text, TypeContext ctx, Value out) {
    if (type.is(PgType.REGTYPE)) {
      out.setLong(PgTypes.byName(PgTypes.fold(text)).oid());
      return;
    }
    if (type.is(PgType.REGPROC)) {
      String name = PgTypes.fold(text);
      int function =
          TypeFunctions.oid(
              name.startsWith("pg_catalog.") ? name.substring("pg_catalog.".length()) : name);
      if (function == 0) {
        throw new GaussException(
            SqlState.UNDEFINED_FUNCTION, "function \"" + text + "\" does not exist");
      }
      out.setLong(function);
      return;
    }
    int oid = ctx.relationOid(text);
    if (oid == 0) {
      throw new GaussException(
          SqlState.UNDEFINED_TABLE, "relation \"" + text + "\" does not exist");
    }
    out.setLong(oid & MAX);
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    TypeErrors.checkLength(type, length, 4);
    out.setLong(ByteSink.getInt(from, offset) & MAX);
  }
}
