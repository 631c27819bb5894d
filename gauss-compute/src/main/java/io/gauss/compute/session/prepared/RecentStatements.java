package io.gauss.compute.session.prepared;

import io.gauss.compute.sql.parse.ParsedStatement;
import io.gauss.compute.sql.plan.PreparedPlan;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The statements that a session prepared last, by plan: a client that prepares the same text again
 * and again, or sends it as a simple query, gets the operators of the previous execution. One per
 * session; not thread-safe.
 *
 * <p>Long ones are not kept, since the memory that these statements take is counted nowhere.
 */
public final class RecentStatements {
  private static final int KEPT = 16;

  private final Map<PreparedPlan, PreparedStatement> byPlan =
      new LinkedHashMap<>(8, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<PreparedPlan, PreparedStatement> eldest) {
          return size() > KEPT;
        }
      };

  public PreparedStatement of(ParsedStatement parsed, int[] parameterOids, PreparedPlan plan) {
    PreparedStatement known = byPlan.get(plan);
    if (known != null && known.plan() == plan) {
      return known;
    }
    PreparedStatement fresh = new PreparedStatement(parsed, parameterOids, plan, List.of());
    if (parsed.text().length() <= StatementParser.LONGEST_CACHED) {
      byPlan.put(plan, fresh);
    }
    return fresh;
  }
}
