package io.gauss.compute.expr.call;

import io.gauss.compute.type.PgType;
import java.util.HashMap;
import java.util.Map;

/**
 * The conversions that PostgreSQL's pg_cast has between Gauss's types, and the first context that
 * allows each. Pure data.
 */
final class CastTable {
  private static final Map<Long, CastContext> CASTS = new HashMap<>();

  static {
    implicit(PgType.CHAR, PgType.TEXT);
    assignment(PgType.CHAR, PgType.BPCHAR, PgType.VARCHAR);
    explicit(PgType.CHAR, PgType.INT4);
    assignment(PgType.BOOL, PgType.TEXT, PgType.BPCHAR, PgType.VARCHAR);
    explicit(PgType.BOOL, PgType.INT4);
    implicit(PgType.NAME, PgType.TEXT);
    assignment(PgType.NAME, PgType.BPCHAR, PgType.VARCHAR);
    implicit(
        PgType.INT2,
        PgType.INT4,
        PgType.INT8,
        PgType.FLOAT4,
        PgType.FLOAT8,
        PgType.NUMERIC,
        PgType.OID,
        PgType.REGCLASS,
        PgType.REGTYPE,
        PgType.REGPROC,
        PgType.REGPROCEDURE,
        PgType.REGNAMESPACE,
        PgType.REGROLE);
    implicit(
        PgType.INT4,
        PgType.INT8,
        PgType.FLOAT4,
        PgType.FLOAT8,
        PgType.NUMERIC,
        PgType.OID,
        PgType.REGCLASS,
        PgType.REGTYPE,
        PgType.REGPROC,
        PgType.REGPROCEDURE,
        PgType.REGNAMESPACE,
        PgType.REGROLE);
    assignment(PgType.INT4, PgType.INT2);
    explicit(PgType.INT4, PgType.BOOL, PgType.CHAR);
    implicit(
        PgType.INT8,
        PgType.FLOAT4,
        PgType.FLOAT8,
        PgType.NUMERIC,
        PgType.OID,
        PgType.REGCLASS,
        PgType.REGTYPE,
        PgType.REGPROC,
        PgType.REGPROCEDURE,
        PgType.REGNAMESPACE,
        PgType.REGROLE);
    assignment(PgType.INT8, PgType.INT2, PgType.INT4);
    implicit(
        PgType.OID,
        PgType.REGCLASS,
        PgType.REGTYPE,
        PgType.REGPROC,
        PgType.REGPROCEDURE,
        PgType.REGNAMESPACE,
        PgType.REGROLE);
    assignment(PgType.OID, PgType.INT8, PgType.INT4);
    implicit(PgType.REGCLASS, PgType.OID);
    assignment(PgType.REGCLASS, PgType.INT8, PgType.INT4);
    implicit(PgType.REGTYPE, PgType.OID);
    assignment(PgType.REGTYPE, PgType.INT8, PgType.INT4);
    implicit(PgType.REGPROC, PgType.OID, PgType.REGPROCEDURE);
    assignment(PgType.REGPROC, PgType.INT8, PgType.INT4);
    implicit(PgType.REGPROCEDURE, PgType.OID, PgType.REGPROC);
    assignment(PgType.REGPROCEDURE, PgType.INT8, PgType.INT4);
    implicit(PgType.REGNAMESPACE, PgType.OID);
    assignment(PgType.REGNAMESPACE, PgType.INT8, PgType.INT4);
    implicit(PgType.REGROLE, PgType.OID);
    assignment(PgType.REGROLE, PgType.INT8, PgType.INT4);
    implicit(PgType.FLOAT4, PgType.FLOAT8);
    assignment(PgType.FLOAT4, PgType.INT2, PgType.INT4, PgType.INT8, PgType.NUMERIC);
    assignment(PgType.FLOAT8, PgType.INT2, PgType.INT4, PgType.INT8, PgType.FLOAT4, PgType.NUMERIC);
    implicit(PgType.NUMERIC, PgType.FLOAT4, PgType.FLOAT8);
    assignment(PgType.NUMERIC, PgType.INT2, PgType.INT4, PgType.INT8);
    implicit(PgType.TEXT, PgType.NAME, PgType.BPCHAR, PgType.VARCHAR, PgType.REGCLASS);
    assignment(PgType.TEXT, PgType.CHAR);
    implicit(PgType.BPCHAR, PgType.NAME, PgType.TEXT, PgType.VARCHAR);
    assignment(PgType.BPCHAR, PgType.CHAR);
    implicit(PgType.VARCHAR, PgType.NAME, PgType.TEXT, PgType.BPCHAR, PgType.REGCLASS);
    assignment(PgType.VARCHAR, PgType.CHAR);
    implicit(PgType.DATE, PgType.TIMESTAMP, PgType.TIMESTAMPTZ);
    implicit(PgType.TIME, PgType.INTERVAL);
    assignment(PgType.TIMESTAMP, PgType.DATE, PgType.TIME);
    implicit(PgType.TIMESTAMP, PgType.TIMESTAMPTZ);
    assignment(PgType.TIMESTAMPTZ, PgType.DATE, PgType.TIME, PgType.TIMESTAMP);
    assignment(PgType.INTERVAL, PgType.TIME);
    assignment(PgType.JSON, PgType.JSONB);
    assignment(PgType.JSONB, PgType.JSON);
    explicit(
        PgType.JSONB,
        PgType.BOOL,
        PgType.NUMERIC,
        PgType.INT2,
        PgType.INT4,
        PgType.INT8,
        PgType.FLOAT4,
        PgType.FLOAT8);
  }

  private CastTable() {}

  private static void implicit(PgType from, PgType... to) {
    put(CastContext.IMPLICIT, from, to);
  }

  private static void assignment(PgType from, PgType... to) {
    put(CastContext.ASSIGNMENT, from, to);
  }

  private static void explicit(PgType from, PgType... to) {
    put(CastContext.EXPLICIT, from, to);
  }

  private static void put(CastContext context, PgType from, PgType[] targets) {
    for (PgType to : targets) {
      CASTS.put(key(from, to), context);
    }
  }

  private static long key(PgType from, PgType to) {
    return ((long) from.oid() << 32) | to.oid();
  }

  /** The first context in which the conversion is allowed; null when pg_cast has none. */
  static CastContext context(PgType from, PgType to) {
    return CASTS.get(key(from, to));
  }
}
