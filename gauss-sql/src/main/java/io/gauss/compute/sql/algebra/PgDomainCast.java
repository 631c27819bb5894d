package io.gauss.compute.sql.algebra;

import io.gauss.compute.type.PgType;
import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;

/**
 * Makes a value of a domain's base type one of the domain, or the elements of an array. The operand
 * has the base type, modifier included. Immutable.
 */
public final class PgDomainCast extends SqlFunction {
  private final PgType target;
  private final List<Check> checks;

  /**
   * A condition of the domain, or of one below it.
   *
   * @param condition in which {@link PgDomainValue} stands for the value
   */
  public record Check(String name, RexNode condition) {}

  private PgDomainCast(PgType target, List<Check> checks) {
    // Operators of the same name are the same one.
    super(
        "domain " + target.declaredOid() + "/" + target.stamp(),
        SqlKind.OTHER_FUNCTION,
        null,
        null,
        null,
        SqlFunctionCategory.SYSTEM);
    this.target = target;
    this.checks = checks;
  }

  /**
   * @param target a domain, or an array of one
   * @param checks in the order in which they are evaluated
   */
  public static RexNode of(RexNode node, PgType target, List<Check> checks) {
    return PgRex.call(new PgDomainCast(target, checks), target, List.of(node));
  }

  public PgType target() {
    return target;
  }

  public List<Check> checks() {
    return checks;
  }
}
