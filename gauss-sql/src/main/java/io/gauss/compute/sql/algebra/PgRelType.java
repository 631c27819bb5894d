package io.gauss.compute.sql.algebra;

import io.gauss.compute.type.PgType;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.apache.calcite.rel.type.RelDataTypeSystem;
import org.apache.calcite.sql.SqlCollation;
import org.apache.calcite.sql.type.BasicSqlType;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * A {@link PgType} as a Calcite type: the Calcite type name is only a rough classification, and
 * everything on which PostgreSQL's semantics depend is in {@link #pgType}. Two of these are equal
 * when PostgreSQL type, modifier and nullability are. Immutable.
 */
final class PgRelType extends BasicSqlType {
  private final transient PgType pgType;

  PgRelType(RelDataTypeSystem system, PgType pgType, boolean nullable) {
    super(system, sqlTypeName(pgType), nullable);
    this.pgType = pgType;
    computeDigest();
  }

  PgType pgType() {
    return pgType;
  }

  /** Calcite requires one for every text type; nothing depends on it here. */
  @Override
  public Charset getCharset() {
    return getSqlTypeName() == SqlTypeName.VARCHAR ? StandardCharsets.UTF_8 : null;
  }

  @Override
  public SqlCollation getCollation() {
    return getSqlTypeName() == SqlTypeName.VARCHAR ? SqlCollation.IMPLICIT : null;
  }

  @Override
  public BasicSqlType createWithNullability(boolean nullable) {
    return nullable == isNullable ? this : new PgRelType(typeSystem, pgType, nullable);
  }

  @Override
  protected void generateTypeString(StringBuilder sb, boolean withDetail) {
    // The superclass may call this while it is being constructed; the digest is computed again
    // afterwards.
    if (pgType == null) {
      sb.append("pg");
      return;
    }
    sb.append(pgType.format());
    if (withDetail) {
      sb.append('#').append(pgType.declaredOid()).append('/').append(pgType.typmod());
      if (pgType.isUserDefined()) {
        // Types with equal digests stand for each other, in all plans of the process.
        sb.append('/').append(pgType.stamp());
      }
    }
  }

  /** The nearest Calcite name; types without a Calcite counterpart are OTHER. */
  private static SqlTypeName sqlTypeName(PgType type) {
    return switch (type.oid()) {
      case 16 -> SqlTypeName.BOOLEAN;
      case 21 -> SqlTypeName.SMALLINT;
      case 23 -> SqlTypeName.INTEGER;
      case 20 -> SqlTypeName.BIGINT;
      case 700 -> SqlTypeName.REAL;
      case 701 -> SqlTypeName.DOUBLE;
      case 1700 -> SqlTypeName.DECIMAL;
      case 25, 1042, 1043, 19 -> SqlTypeName.VARCHAR;
      case 17 -> SqlTypeName.VARBINARY;
      case 1082 -> SqlTypeName.DATE;
      case 1083 -> SqlTypeName.TIME;
      case 1114 -> SqlTypeName.TIMESTAMP;
      default -> SqlTypeName.OTHER;
    };
  }
}
