package io.gauss.compute.sql.bind.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.ConstExpr;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.expr.call.CastRegistry;
import io.gauss.compute.expr.call.CommonType;
import io.gauss.compute.sql.algebra.PgCast;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgDomainCast;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypedLiteral;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexNode;

/**
 * Converts bound expressions to types: reads unknown literals, decides undecided parameters, adds
 * casts.
 */
public final class Coercion {
  private final Parameters parameters;
  private final List<TypedLiteral> literals;
  private final Function<DomainType, List<PgDomainCast.Check>> domainChecks;

  /**
   * @param literals receives those of types of CREATE TYPE; null = nobody wants to know them
   * @param domainChecks finds the conditions of a domain
   */
  public Coercion(
      Parameters parameters,
      List<TypedLiteral> literals,
      Function<DomainType, List<PgDomainCast.Check>> domainChecks) {
    this.parameters = parameters;
    this.literals = literals;
    this.domainChecks = domainChecks;
  }

  /**
   * Converts to a type, its modifier included.
   *
   * @throws GaussException 42846 when there is no such cast; the error of a literal's input
   *     function
   */
  public RexNode to(RexNode node, PgType target, CastContext context, int position) {
    PgType from = PgRex.type(node);
    if (from.equals(target) || target.is(PgType.ANY) && !from.isUnknown()) {
      return node;
    }
    if (target.isDomain() || target.isArrayOfDomain()) {
      return domain(node, target, context, position);
    }
    if (from.isUnknown()) {
      return unknownTo(node, target.is(PgType.ANY) ? PgType.TEXT : target, context, position);
    }
    if (from.sameType(target) && target.typmod() == -1) {
      // An explicit cast removes the modifier, from the type only.
      return context == CastContext.EXPLICIT ? cast(node, target, context) : node;
    }
    try {
      if (!CastRegistry.canCoerce(from, target, context)) {
        throw cannot(from, target);
      }
    } catch (GaussException e) {
      throw at(e, position);
    }
    PgConstant constant = PgConstant.of(node);
    if (constant != null) {
      // Stays a cast when it fails: it may stand where it is never evaluated.
      Expr folded = CastRegistry.coerce(ConstExpr.copyOf(from, constant.value()), target, context);
      if (folded instanceof ConstExpr done) {
        return PgConstant.of(target, done.value());
      }
    }
    return cast(node, target, context);
  }

  private RexNode domain(RexNode node, PgType target, CastContext context, int position) {
    DomainType domain = target.isDomain() ? target.domain() : target.element().domain();
    PgType base =
        target.isDomain()
            ? target.baseType()
            : target.withTypmod(target.element().baseType().typmod());
    if (node instanceof RexDynamicParam param && PgRex.type(node).isUnknown()) {
      parameters.decide(param.getIndex(), target, position);
    }
    RexNode value;
    try {
      value = to(node, base, context, position);
    } catch (GaussException e) {
      if (e.state() == SqlState.CANNOT_COERCE) {
        throw cannot(PgRex.type(node), target).position(e.position());
      }
      throw e;
    }
    return PgDomainCast.of(value, target, domainChecks.apply(domain));
  }

  private static GaussException cannot(PgType from, PgType target) {
    return new GaussException(
        SqlState.CANNOT_COERCE,
        "cannot cast type " + from.displayName() + " to " + target.displayName());
  }

  private RexNode unknownTo(RexNode node, PgType target, CastContext context, int position) {
    if (node instanceof RexDynamicParam param) {
      parameters.decide(param.getIndex(), target, position);
      RexNode typed = new RexDynamicParam(PgRex.rel(target.withTypmod(-1)), param.getIndex());
      return target.typmod() == -1 ? typed : cast(typed, target, context);
    }
    PgConstant constant = PgConstant.of(node);
    if (constant == null) {
      return cast(node, target, context);
    }
    if (constant.isNull()) {
      return PgConstant.ofNull(target);
    }
    if (literals != null && target.isUserDefined()) {
      literals.add(new TypedLiteral(constant.position(), target));
    }
    Expr literal;
    try {
      literal =
          CastRegistry.coerce(ConstExpr.copyOf(PgType.UNKNOWN, constant.value()), target, context);
    } catch (GaussException e) {
      throw at(e, constant.position() == 0 ? position : constant.position());
    }
    // A conversion that depends on the session (time zone, 'now') is done at run time: plans are
    // shared.
    return literal instanceof ConstExpr done
        ? PgConstant.of(target, done.value())
        : cast(node, target, context);
  }

  static RexNode cast(RexNode node, PgType target, CastContext context) {
    return PgCast.of(node, target, context);
  }

  /** The common type of several expressions, decided as for CASE, UNION and VALUES. */
  public PgType common(String construct, List<RexNode> nodes, int position) {
    List<PgType> types = new ArrayList<>();
    for (RexNode node : nodes) {
      types.add(PgRex.type(node));
    }
    try {
      return CommonType.of(construct, types);
    } catch (GaussException e) {
      throw at(e, position);
    }
  }

  /** An expression that must be boolean, as the argument of a clause or operator. */
  public RexNode bool(RexNode node, String construct, int position) {
    PgType type = PgRex.type(node);
    if (type.isUnknown() || type.is(PgType.BOOL)) {
      return to(node, PgType.BOOL, CastContext.IMPLICIT, position);
    }
    throw new GaussException(
            SqlState.DATATYPE_MISMATCH,
            "argument of " + construct + " must be type boolean, not type " + type.displayName())
        .position(position);
  }

  /** Untyped literals and parameters that nothing else decided become text. */
  public RexNode resolveUnknown(RexNode node, int position) {
    return PgRex.type(node).isUnknown()
        ? to(node, PgType.TEXT, CastContext.IMPLICIT, position)
        : node;
  }

  public static GaussException at(GaussException e, int position) {
    return e.position() == 0 ? e.position(position) : e;
  }
}
