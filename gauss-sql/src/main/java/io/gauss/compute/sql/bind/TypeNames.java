package io.gauss.compute.sql.bind;

import io.gauss.compute.sql.parse.TypeName;
import io.gauss.compute.type.PgType;

/** Types as statements write them. */
public final class TypeNames {
  private TypeNames() {}

  /**
   * @throws io.gauss.common.error.GaussException 42704 when there is no such type, 0A000 when Gauss
   *     does not support it
   */
  public static PgType type(TypeName name) {
    return ExprBinder.type(name);
  }
}
