package io.gauss.compute.expr;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.util.List;

/**
 * Makes a value of a domain's base type one of the domain, or those of an array one each: fails
 * when the domain does not allow it.
 */
public final class DomainExpr extends Expr {
  private final Expr a;
  private final PgType type;
  private final DomainType domain;
  private final boolean refusesNull;
  private final List<Check> checks;

  /** Reads the elements of an array of the domain; null when the value itself is one of it. */
  private final TypeCodec elements;

  /**
   * A condition.
   *
   * @param condition over {@link DomainValueExpr}
   */
  public record Check(String name, Expr condition) {}

  /**
   * @param type the domain, or an array of it
   * @param checks those of the domain and of the domains below it, in the order in which they are
   *     evaluated
   */
  public DomainExpr(Expr a, PgType type, List<Check> checks) {
    this.a = a;
    this.type = type;
    PgType made = type.isDomain() ? type : type.element();
    this.domain = made.domain();
    this.refusesNull = domain.refusesNull();
    this.checks = checks;
    this.elements = type.isDomain() ? null : TypeCodec.of(made);
  }

  @Override
  public PgType type() {
    return type;
  }

  @Override
  public List<Expr> children() {
    return List.of(a);
  }

  @Override
  public Volatility volatility() {
    Volatility worst = a.volatility();
    for (Check check : checks) {
      Volatility other = check.condition().volatility();
      worst = other.compareTo(worst) > 0 ? other : worst;
    }
    return worst;
  }

  @Override
  public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
    a.eval(ctx, in, row, out);
    if (elements == null) {
      check(ctx, out);
    } else if (!out.isNull) {
      ArrayReader reader = new ArrayReader(out);
      Value item = new Value();
      for (int i = 0; i < reader.size(); i++) {
        reader.next(elements, item);
        check(ctx, item);
      }
    }
  }

  private void check(EvalContext ctx, Value value) {
    if (value.isNull && refusesNull) {
      throw new GaussException(
              SqlState.NOT_NULL_VIOLATION,
              "domain %s does not allow null values".formatted(shown(ctx)))
          .dataType(domain.schema(), domain.name());
    }
    if (checks.isEmpty()) {
      return;
    }
    Value before = ctx.domainValue;
    Value result = ctx.acquire();
    try {
      for (Check check : checks) {
        ctx.domainValue = value; // a condition may convert to other domains
        check.condition().eval(ctx, null, 0, result);
        if (!result.isNull && result.l == 0) {
          throw new GaussException(
                  SqlState.CHECK_VIOLATION,
                  "value for domain %s violates check constraint \"%s\""
                      .formatted(shown(ctx), check.name()))
              .dataType(domain.schema(), domain.name())
              .constraint(check.name());
        }
      }
    } finally {
      ctx.domainValue = before;
    }
    ctx.release();
  }

  private String shown(EvalContext ctx) {
    String name = ctx.typeName(domain.oid());
    return name == null ? domain.type().displayName() : name;
  }

  @Override
  public String toString() {
    return "domain(" + a + " as " + type + ")";
  }
}
