package io.gauss.compute.expr.call;

import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;

/**
 * Chooses among overloads as PostgreSQL does (its chapters 10.2 and 10.3; func_match_argtypes and
 * func_select_candidate in parse_func.c). Pure.
 */
final class OverloadResolution {
  private OverloadResolution() {}

  /** The outcome: one candidate, none that fits, or several. */
  record Choice<T>(T only, boolean ambiguous) {}

  /** Argument types of a candidate for a given number of actual arguments. */
  interface Arguments<T> {
    PgType get(T candidate, int i);
  }

  /** Candidates must already have the right number of arguments. */
  static <T> Choice<T> choose(List<T> all, PgType[] actual, Arguments<T> arguments) {
    List<T> candidates = new ArrayList<>();
    for (T candidate : all) {
      if (matches(candidate, actual, arguments)) {
        candidates.add(candidate);
      }
    }
    if (candidates.size() <= 1) {
      return new Choice<>(candidates.isEmpty() ? null : candidates.getFirst(), false);
    }
    T chosen = select(candidates, actual, arguments);
    return new Choice<>(chosen, chosen == null);
  }

  private static <T> boolean matches(T candidate, PgType[] actual, Arguments<T> arguments) {
    for (int i = 0; i < actual.length; i++) {
      if (!CastRegistry.canCoerce(actual[i], arguments.get(candidate, i), CastContext.IMPLICIT)) {
        return false;
      }
    }
    return true;
  }

  private static <T> T select(List<T> candidates, PgType[] actual, Arguments<T> arguments) {
    List<T> best = keepBest(candidates, c -> exactMatches(c, actual, arguments));
    if (best.size() == 1) {
      return best.getFirst();
    }
    best = keepBest(best, c -> exactOrPreferred(c, actual, arguments));
    if (best.size() == 1) {
      return best.getFirst();
    }
    int unknowns = 0;
    for (PgType type : actual) {
      unknowns += type.isUnknown() ? 1 : 0;
    }
    if (unknowns == 0) {
      return null;
    }
    best = byCategory(best, actual, arguments);
    if (best.size() == 1) {
      return best.getFirst();
    }
    return unknowns < actual.length ? byKnownType(best, actual, arguments) : null;
  }

  private interface Score<T> {
    int of(T candidate);
  }

  private static <T> List<T> keepBest(List<T> candidates, Score<T> score) {
    int highest = -1;
    List<T> best = new ArrayList<>();
    for (T candidate : candidates) {
      int points = score.of(candidate);
      if (points > highest) {
        highest = points;
        best.clear();
      }
      if (points == highest) {
        best.add(candidate);
      }
    }
    return best;
  }

  private static <T> int exactMatches(T candidate, PgType[] actual, Arguments<T> arguments) {
    int n = 0;
    for (int i = 0; i < actual.length; i++) {
      if (!actual[i].isUnknown() && actual[i].sameType(arguments.get(candidate, i))) {
        n++;
      }
    }
    return n;
  }

  private static <T> int exactOrPreferred(T candidate, PgType[] actual, Arguments<T> arguments) {
    int n = 0;
    for (int i = 0; i < actual.length; i++) {
      if (actual[i].isUnknown()) {
        continue;
      }
      PgType declared = arguments.get(candidate, i);
      if (actual[i].sameType(declared)
          || (declared.preferred() && declared.category() == actual[i].category())) {
        n++;
      }
    }
    return n;
  }

  /**
   * Uses the unknown literals to decide: strings first, else the one category that all candidates
   * accept.
   */
  private static <T> List<T> byCategory(
      List<T> candidates, PgType[] actual, Arguments<T> arguments) {
    char[] category = new char[actual.length];
    boolean[] preferred = new boolean[actual.length];
    for (int i = 0; i < actual.length; i++) {
      if (!actual[i].isUnknown()) {
        continue;
      }
      boolean conflict = false;
      boolean first = true;
      for (T candidate : candidates) {
        PgType type = arguments.get(candidate, i);
        if (first) {
          category[i] = type.category();
          preferred[i] = type.preferred();
          first = false;
        } else if (type.category() == category[i]) {
          preferred[i] |= type.preferred();
        } else if (type.category() == 'S') {
          category[i] = 'S';
          preferred[i] = type.preferred();
        } else if (category[i] != 'S') {
          conflict = true;
        }
      }
      if (conflict && category[i] != 'S') {
        return candidates;
      }
    }
    List<T> kept = new ArrayList<>();
    for (T candidate : candidates) {
      boolean keep = true;
      for (int i = 0; i < actual.length && keep; i++) {
        if (actual[i].isUnknown()) {
          PgType type = arguments.get(candidate, i);
          keep = type.category() == category[i] && (!preferred[i] || type.preferred());
        }
      }
      if (keep) {
        kept.add(candidate);
      }
    }
    return kept.isEmpty() ? candidates : kept;
  }

  /** Last resort: assumes that the unknown arguments have the one type of all known ones. */
  private static <T> T byKnownType(List<T> candidates, PgType[] actual, Arguments<T> arguments) {
    PgType known = null;
    for (PgType type : actual) {
      if (type.isUnknown()) {
        continue;
      }
      if (known == null) {
        known = type;
      } else if (!known.sameType(type)) {
        return null;
      }
    }
    T only = null;
    for (T candidate : candidates) {
      boolean fits = true;
      for (int i = 0; i < actual.length && fits; i++) {
        fits = CastRegistry.canCoerce(known, arguments.get(candidate, i), CastContext.IMPLICIT);
      }
      if (fits) {
        if (only != null) {
          return null;
        }
        only = candidate;
      }
    }
    return only;
  }
}
