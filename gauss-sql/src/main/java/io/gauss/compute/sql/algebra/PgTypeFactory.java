package io.gauss.compute.sql.algebra;

import io.gauss.compute.type.PgType;
import java.nio.charset.Charset;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.sql.SqlCollation;
import org.apache.calcite.sql.type.SqlTypeFactoryImpl;
import org.apache.calcite.sql.type.SqlTypeMappingRule;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * The bridge between PostgreSQL's types and Calcite's: creates {@link PgRelType}s, also where
 * Calcite's rules request a BOOLEAN or BIGINT, so that every expression in a plan has an exact
 * {@link PgType}. Thread-safe.
 */
public final class PgTypeFactory extends SqlTypeFactoryImpl {
  public static final PgTypeFactory INSTANCE = new PgTypeFactory();

  private final ConcurrentHashMap<PgType, PgRelType> nullable = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<PgType, PgRelType> notNull = new ConcurrentHashMap<>();

  private PgTypeFactory() {
    super(new PgTypeSystem());
  }

  RelDataType of(PgType type) {
    return of(type, true);
  }

  public RelDataType of(PgType type, boolean isNullable) {
    if (type.isUserDefined()) { // not kept: its catalog may soon have another version
      return new PgRelType(typeSystem, type, isNullable);
    }
    return (isNullable ? nullable : notNull)
        .computeIfAbsent(type, t -> new PgRelType(typeSystem, t, isNullable));
  }

  /**
   * The PostgreSQL type of an expression. Types that only Calcite's rewriting rules create are
   * mapped to the PostgreSQL type of the same meaning.
   */
  static PgType pg(RelDataType type) {
    if (type instanceof PgRelType pg) {
      return pg.pgType();
    }
    return switch (type.getSqlTypeName()) {
      case BOOLEAN -> PgType.BOOL;
      case SMALLINT, TINYINT -> PgType.INT2;
      case INTEGER -> PgType.INT4;
      case BIGINT -> PgType.INT8;
      case DECIMAL -> PgType.NUMERIC;
      case REAL -> PgType.FLOAT4;
      case DOUBLE, FLOAT -> PgType.FLOAT8;
      case CHAR, VARCHAR -> PgType.TEXT;
      default -> PgType.UNKNOWN;
    };
  }

  private static PgType standard(SqlTypeName name) {
    return switch (name) {
      case BOOLEAN -> PgType.BOOL;
      case SMALLINT -> PgType.INT2;
      case INTEGER -> PgType.INT4;
      case BIGINT -> PgType.INT8;
      case DECIMAL -> PgType.NUMERIC;
      case DOUBLE -> PgType.FLOAT8;
      case REAL -> PgType.FLOAT4;
      case VARCHAR -> PgType.TEXT;
      default -> null;
    };
  }

  @Override
  public RelDataType createSqlType(SqlTypeName name) {
    PgType type = standard(name);
    return type == null ? super.createSqlType(name) : of(type, false);
  }

  @Override
  public RelDataType createTypeWithNullability(RelDataType type, boolean isNullable) {
    if (type instanceof PgRelType pg) {
      return type.isNullable() == isNullable ? type : of(pg.pgType(), isNullable);
    }
    return super.createTypeWithNullability(type, isNullable);
  }

  /**
   * Calcite calls this whenever it makes a reference to a text column; its implementation would
   * return a plain VARCHAR, and the blanks of char(n) would become significant.
   */
  @Override
  public RelDataType createTypeWithCharsetAndCollation(
      RelDataType type, Charset charset, SqlCollation collation) {
    return type instanceof PgRelType
        ? type
        : super.createTypeWithCharsetAndCollation(type, charset, collation);
  }

  /** The binder has already unified the types; only nullability is left. */
  @Override
  public RelDataType leastRestrictive(List<RelDataType> types, SqlTypeMappingRule rule) {
    RelDataType first = types.get(0);
    if (first.isStruct()) {
      Builder builder = builder();
      for (RelDataTypeField field : first.getFieldList()) {
        int index = field.getIndex();
        builder.add(
            field.getName(),
            leastRestrictive(
                types.stream().map(t -> t.getFieldList().get(index).getType()).toList(), rule));
      }
      return builder.build();
    }
    if (!(first instanceof PgRelType)) {
      return super.leastRestrictive(types, rule);
    }
    boolean anyNullable = false;
    PgType result = null;
    for (RelDataType type : types) {
      anyNullable |= type.isNullable();
      PgType candidate = pg(type);
      if (type.getSqlTypeName() == SqlTypeName.NULL || candidate.isUnknown()) {
        continue;
      }
      if (result == null || result.equals(candidate)) {
        result = candidate;
      } else if (result.sameType(candidate)) {
        result = result.withTypmod(-1);
      } else {
        return null;
      }
    }
    return of(result == null ? pg(first) : result, anyNullable);
  }

  /** Limits that let PostgreSQL's types through unchanged. */
  private static final class PgTypeSystem extends RelDataTypeSystemImpl {
    @Override
    public int getMaxPrecision(SqlTypeName name) {
      return name == SqlTypeName.DECIMAL ? 1000 : super.getMaxPrecision(name);
    }

    @Override
    public int getMaxScale(SqlTypeName name) {
      return name == SqlTypeName.DECIMAL ? 1000 : super.getMaxScale(name);
    }

    @Override
    public boolean shouldConvertRaggedUnionTypesToVarying() {
      return true;
    }

    @Override
    public boolean isSchemaCaseSensitive() {
      return true;
    }
  }
}
