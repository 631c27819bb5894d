package io.gauss.compute.sql.algebra;

import io.gauss.compute.type.PgType;
import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;

/** VALUE in the conditions of a domain. */
public final class PgDomainValue extends SqlFunction {
  private static final PgDomainValue INSTANCE = new PgDomainValue();

  private PgDomainValue() {
    super("VALUE", SqlKind.OTHER_FUNCTION, null, null, null, SqlFunctionCategory.SYSTEM);
  }

  public static RexNode of(PgType type) {
    return PgRex.call(INSTANCE, type, List.of());
  }

  /** It is no constant. */
  @Override
  public boolean isDeterministic() {
    return false;
  }
}
