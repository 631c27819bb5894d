package io.gauss.compute.sql.parse;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlTypeNameSpec;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.util.Litmus;

/**
 * Carries a {@link TypeName} through Calcite's tree, as the second operand of CAST. The binder
 * resolves it.
 */
public final class PgTypeSpec extends SqlTypeNameSpec {
  private final TypeName type;

  public PgTypeSpec(TypeName type, SqlParserPos pos) {
    super(new SqlIdentifier(type.name(), pos), pos);
    this.type = type;
  }

  /** The type of a CAST's second operand. */
  public static TypeName of(SqlDataTypeSpec spec) {
    return ((PgTypeSpec) spec.getTypeNameSpec()).type;
  }

  @Override
  public RelDataType deriveType(SqlValidator validator) {
    throw new IllegalStateException("types are resolved by the binder, not by Calcite's validator");
  }

  @Override
  public void unparse(SqlWriter writer, int leftPrec, int rightPrec) {
    writer.keyword(type.toString());
  }

  @Override
  public boolean equalsDeep(SqlTypeNameSpec spec, Litmus litmus) {
    return spec instanceof PgTypeSpec other && other.type.toString().equals(type.toString())
        ? litmus.succeed()
        : litmus.fail("{} != {}", this, spec);
  }
}
