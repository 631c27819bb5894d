package io.gauss.router.train;

import io.gauss.jdbc.routing.statement.StatementTemplate;

/**
 * What was seen of one transaction.
 *
 * @param template of its first statement that tells something (not {@link
 *     StatementTemplate.Kind#TELLS_NOTHING}). A node that got the sample from another one makes it
 *     by reading the template's text again
 * @param values of the template's predicates, in their order: Long, Double or String as {@link
 *     io.gauss.jdbc.routing.statement.RoutingValue} makes them, null where unknown. Not to be
 *     changed afterwards
 * @param pageGroups page groups that the whole transaction touched, each once ({@link PageGroups}
 *     says what the numbers are), in any order. Not to be changed afterwards
 * @param node number of the compute node that it ran on, at least 1
 * @param transfers pages that had to come from other compute nodes for it
 */
public record TransactionSample(
    StatementTemplate template, Object[] values, int[] pageGroups, int node, int transfers) {
  public TransactionSample {
    if (values.length != template.predicates().size()) {
      throw new IllegalArgumentException(
          values.length + " values for " + template.predicates().size() + " predicates");
    }
  }
}
