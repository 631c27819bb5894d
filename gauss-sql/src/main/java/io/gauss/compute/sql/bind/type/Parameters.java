package io.gauss.compute.sql.bind.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Types of {@code $1..$n}: given by the client, or inferred at the first place that requires a
 * type, as PostgreSQL's variable parameter hooks do. Belongs to one binding.
 */
public final class Parameters {
  private final List<PgType> types = new ArrayList<>();

  /**
   * @param oids types given by the client, 0 or 705 = to be inferred
   * @param made finds types of CREATE TYPE by their oid; null for others
   */
  public Parameters(int[] oids, IntFunction<PgType> made) {
    for (int oid : oids) {
      PgType other = oid == 0 ? null : made.apply(oid);
      types.add(oid == 0 ? null : undecided(other != null ? other : PgTypes.byOid(oid)));
    }
  }

  private static PgType undecided(PgType type) {
    return type.isUnknown() ? null : type;
  }

  /** The type of a parameter, unknown while undecided. */
  public PgType type(int index) {
    while (types.size() <= index) {
      types.add(null);
    }
    PgType type = types.get(index);
    return type == null ? PgType.UNKNOWN : type;
  }

  /** Decides an undecided parameter. */
  void decide(int index, PgType type, int position) {
    PgType before = type(index);
    if (before.isUnknown()) {
      boolean isOfDomain = type.isDomain() || type.isArrayOfDomain();
      types.set(index, isOfDomain ? type : type.withTypmod(-1));
    } else if (!before.sameType(type)) {
      throw new GaussException(
              SqlState.AMBIGUOUS_PARAMETER,
              "inconsistent types deduced for parameter $" + (index + 1))
          .detail(before.displayName() + " versus " + type.displayName())
          .position(position);
    }
  }

  int count() {
    return types.size();
  }

  /**
   * @throws GaussException 42P18 when one is still undecided
   */
  public PgType[] decided() {
    PgType[] result = new PgType[types.size()];
    for (int i = 0; i < result.length; i++) {
      if (types.get(i) == null) {
        throw new GaussException(
            SqlState.INDETERMINATE_DATATYPE,
            "could not determine data type of parameter $" + (i + 1));
      }
      result[i] = types.get(i);
    }
    return result;
  }
}
