package io.gauss.router.train;

import io.gauss.jdbc.routing.statement.StatementTemplate;

/**
 * The observation of one transaction.
 *
 * @param template of its first meaningful statement (not {@link
 *     StatementTemplate.Kind#TELLS_NOTHING}). A node that got the sample from another one recreates
 *     it by reading the template's text again
 * @param values of the template's predicates, in their order: Long, Double or String as {@link
 *     io.gauss.jdbc.routing.statement.RoutingValue} makes them, null where unknown. Not to be
 *     changed afterwards
 * @param groups page groups that the whole transaction touched, each once, in any order. To the
 *     trainer they are mere numbers, of which neighbouring ones are usually similar. Not to be
 *     changed afterwards
 * @param written those of them that it wrote. Not to be changed afterwards
 * @param moved those of the groups of which a page had to come from another node. Not to be changed
 *     afterwards
 * @param node number of the compute node on which it ran, at least 1
 * @param transfers pages that had to come from other compute nodes for it
 * @param weight number of transactions that it stands for: each node gives so many samples a
 *     second, however busy it is
 * @param work processor time that such a transaction takes, in any unit
 * @param keyGroup page group where the rows of the statement's key are, as the owner of which a
 *     driver would be told; 0 = not known
 * @param role of whose transactions it is one; to the trainer a mere number
 * @param tables for each of the values the oids of the tables of which it may be; none = nobody
 *     knows. Not to be changed afterwards
 */
public record TransactionSample(
    StatementTemplate template,
    Object[] values,
    long[] groups,
    long[] written,
    long[] moved,
    int node,
    int transfers,
    double weight,
    double work,
    long keyGroup,
    int role,
    int[][] tables) {
  public TransactionSample {
    if (values.length != template.predicates().size() || tables.length != values.length) {
      throw new IllegalArgumentException(
          values.length + " values for " + template.predicates().size() + " predicates");
    }
  }

  /** The same with other values. */
  TransactionSample with(Object[] others) {
    return new TransactionSample(
        template, others, groups, written, moved, node, transfers, weight, work, keyGroup, role,
        tables);
  }
}
