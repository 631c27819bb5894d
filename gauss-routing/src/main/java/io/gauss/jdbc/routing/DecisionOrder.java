package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import java.util.function.Supplier;

/**
 * The order in which what was learned is asked where a transaction belongs. Drivers, compute nodes
 * that forward transactions, and the judgement of what was learned all ask in this order: what is
 * judged is what drivers do.
 */
public final class DecisionOrder {
  private DecisionOrder() {}

  /**
   * With a model.
   *
   * @param template id of the transaction's first statement's
   * @param owner the answer by the owner of the statement's key; gives null when it is not known
   * @param table by the published table; only asked where the model says that it is better
   * @param network by the model itself
   * @return null when nothing is known
   */
  public static <T> T withModel(
      RoutingModel model,
      long template,
      Supplier<T> owner,
      Supplier<T> table,
      Supplier<T> network) {
    boolean isOwnerFirst = model.byOwner().contains(template);
    T found = isOwnerFirst ? owner.get() : null;
    if (found == null && model.byTable().contains(template)) {
      found = table.get();
    }
    if (found == null) {
      found = network.get();
    }
    return found == null && !isOwnerFirst ? owner.get() : found;
  }

  /**
   * With a table only; parameters as {@link #withModel}.
   *
   * @param range the answer by the table
   */
  public static <T> T withTable(
      RoutingTable table, long template, Supplier<T> owner, Supplier<T> range) {
    boolean isOwnerFirst = table.byOwner().contains(template);
    T found = isOwnerFirst ? owner.get() : null;
    if (found == null) {
      found = range.get();
    }
    return found == null && !isOwnerFirst ? owner.get() : found;
  }
}
