package io.gauss.compute.sql.exec.deferred;

import io.gauss.compute.catalog.TableDef.Deferral;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What SET CONSTRAINTS has said in a transaction. Immutable. */
final class ConstraintModes {
  /** Nothing. */
  static final ConstraintModes INITIAL = new ConstraintModes(null, Map.of());

  /** What was said of all constraints; null = nothing. */
  private final Boolean allDeferred;

  /** What was said since of single constraints, by oid. */
  private final Map<Integer, Boolean> deferred;

  private ConstraintModes(Boolean allDeferred, Map<Integer, Boolean> deferred) {
    this.allDeferred = allDeferred;
    this.deferred = deferred;
  }

  boolean isDeferred(int constraintOid, Deferral deferral) {
    if (!deferral.isDeferrable()) {
      return false;
    }
    if (deferred.isEmpty()) {
      return allDeferred != null ? allDeferred : deferral.isInitiallyDeferred();
    }
    Boolean own = deferred.get(constraintOid);
    if (own != null) {
      return own;
    }
    return allDeferred != null ? allDeferred : deferral.isInitiallyDeferred();
  }

  static ConstraintModes all(boolean deferred) {
    return new ConstraintModes(deferred, Map.of());
  }

  ConstraintModes with(List<Integer> constraintOids, boolean newDeferred) {
    Map<Integer, Boolean> changed = new HashMap<>(deferred);
    constraintOids.forEach(oid -> changed.put(oid, newDeferred));
    return new ConstraintModes(allDeferred, changed);
  }
}
