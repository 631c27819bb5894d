package io.gauss.compute.node;

import io.gauss.common.id.PageId;
import io.gauss.compute.buffer.CoherentPages;
import io.gauss.memory.coherence.HolderPage;
import io.gauss.memory.coherence.HolderPage.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Law 2 (one owner) as a check of a running cluster: at most one node owns a page, and while it may
 * write the page nobody else may read it.
 *
 * <p>Nodes are asked one after the other, twice around. A page that a node has by the same transfer
 * both times, it has had in between, when the others were asked.
 */
final class OwnershipChecker {
  private static final int SECONDS = 60;

  private OwnershipChecker() {}

  /** What is wrong; empty when nothing is. */
  static List<String> problems(Map<Integer, CoherentPages> nodes) throws Exception {
    Map<Integer, Map<Long, HolderPage>> first = held(nodes);
    Map<Integer, Map<Long, HolderPage>> second = held(nodes);
    List<String> problems = new ArrayList<>();
    first.forEach(
        (owner, pages) ->
            pages.forEach(
                (page, held) -> {
                  if (isStill(held, second.get(owner).get(page))) {
                    second.forEach(
                        (other, theirs) -> {
                          // Those asked before the owner's second turn, and after its first.
                          HolderPage seen =
                              other > owner ? first.get(other).get(page) : theirs.get(page);
                          if (other != owner.intValue() && excludes(held, seen)) {
                            problems.add(
                                "page %s: node %d has %s, node %d has %s"
                                    .formatted(PageId.toString(page), owner, held, other, seen));
                          }
                        });
                  }
                }));
    return problems;
  }

  private static Map<Integer, Map<Long, HolderPage>> held(Map<Integer, CoherentPages> nodes)
      throws Exception {
    Map<Integer, Map<Long, HolderPage>> all = new TreeMap<>();
    for (Map.Entry<Integer, CoherentPages> node : new TreeMap<>(nodes).entrySet()) {
      all.put(node.getKey(), node.getValue().held().get(SECONDS, TimeUnit.SECONDS));
    }
    return all;
  }

  private static boolean isStill(HolderPage before, HolderPage after) {
    return after != null
        && before.right() == Right.OWNED
        && after.right() == Right.OWNED
        && before.number() == after.number()
        && before.shareNumber() == after.shareNumber();
  }

  private static boolean excludes(HolderPage owner, HolderPage other) {
    return other != null
        && (other.right() == Right.OWNED || other.right() == Right.SHARED && owner.mayWrite());
  }
}
