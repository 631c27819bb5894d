package io.gauss.router.train;

import io.gauss.jdbc.routing.model.KnownKeys;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.RoutingTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the values that the network sends to the wrong node, so that the model can look them up:
 * those that most samples have, as many as there is room for. For each template the predicate is
 * the one by which the table distinguishes nodes.
 */
final class KeyCorrections {
  /** Templates with a smaller share of errors are skipped: these errors are chance. */
  private static final double WORTH = 0.02;

  private static final int BYTES_PER_KEY = Integer.BYTES + 1;

  /** The observations of a value. */
  private static final class Seen {
    private final int place;
    private final int[] byNode;
    private int wrong;

    private Seen(int place, int nodes) {
      this.place = place;
      this.byNode = new int[nodes];
    }

    private int best() {
      int best = 0;
      for (int n = 1; n < byNode.length; n++) {
        best = byNode[n] > byNode[best] ? n : best;
      }
      return best;
    }

    private int all() {
      return Arrays.stream(byNode).sum();
    }

    /** Number of samples that a correction would fix, less those that it would break. */
    private int gain() {
      return wrong - (all() - byNode[best()]);
    }
  }

  private KeyCorrections() {}

  /**
   * What was found.
   *
   * @param places of the keys' templates in the model, in the keys' order
   */
  record Found(KnownKeys keys, byte[] places) {}

  /**
   * @param rows indexes of the samples to use
   * @param maxBytes limit for the values
   */
  static Found of(
      ModelSnapshot model,
      RoutingTable table,
      List<TransactionSample> samples,
      List<Integer> rows,
      TransactionHomes homes,
      List<Integer> nodes,
      int maxBytes) {
    byte[] predicates = predicates(model, table);
    int[] all = new int[predicates.length];
    int[] wrong = new int[predicates.length];
    List<Map<Integer, Seen>> seen = new ArrayList<>();
    List<FairShare.Counts> roles = new ArrayList<>();
    for (int i = 0; i < predicates.length; i++) {
      seen.add(new HashMap<>());
      roles.add(new FairShare.Counts());
    }
    for (int row : rows) {
      TransactionSample s = samples.get(row);
      int place = model.encoder().place(s.template().id(), s.values().length);
      int home = nodes.indexOf(homes.home(row));
      if (place >= 0 && home >= 0 && predicates[place] >= 0) {
        Object value = s.values()[predicates[place]];
        boolean isWrong = UnitModel.node(model, s) != homes.home(row);
        all[place]++;
        roles.get(place).add(s.role());
        wrong[place] += isWrong ? 1 : 0;
        if (value != null) {
          Seen of =
              seen.get(place)
                  .computeIfAbsent(
                      KnownKeys.hash(place, value), h -> new Seen(place, nodes.size()));
          of.byNode[home]++;
          of.wrong += isWrong ? 1 : 0;
        }
      }
    }
    for (int i = 0; i < predicates.length; i++) {
      if (wrong[i] <= all[i] * WORTH) {
        predicates[i] = -1;
        seen.get(i).clear();
      } else if (!isFaithful(seen.get(i))) {
        seen.get(i).values().removeIf(of -> of.all() == 1);
      }
    }
    return best(predicates, seen, roles, maxBytes / BYTES_PER_KEY);
  }

  /**
   * Whether a value's samples belong to one node, as far as there are several. Then a single one
   * tells where the value belongs; otherwise it may be the exception.
   */
  private static boolean isFaithful(Map<Integer, Seen> seen) {
    int all = 0;
    int best = 0;
    for (Seen of : seen.values()) {
      if (of.all() > 1) {
        all += of.all();
        best += of.byNode[of.best()];
      }
    }
    return TableBuilder.isFaithful(all, all - best);
  }

  private static byte[] predicates(ModelSnapshot model, RoutingTable table) {
    byte[] predicates = new byte[model.model().templates().size()];
    Arrays.fill(predicates, (byte) -1);
    for (RoutingTable.Entry entry : table.entries()) {
      int place = model.encoder().place(entry.template(), entry.predicates());
      if (place >= 0) {
        predicates[place] = (byte) entry.predicate();
      }
    }
    return predicates;
  }

  private static Found best(
      byte[] predicates, List<Map<Integer, Seen>> seen, List<FairShare.Counts> roles, int most) {
    Map<Integer, Seen> merged = new HashMap<>();
    seen.forEach(merged::putAll);
    int[] roleOf = roles.stream().mapToInt(FairShare.Counts::role).toArray();
    List<Map.Entry<Integer, Seen>> worth =
        merged.entrySet().stream()
            .filter(e -> e.getValue().gain() > 0)
            .sorted(
                Comparator.comparing((Map.Entry<Integer, Seen> e) -> -e.getValue().gain())
                    .thenComparing(Map.Entry::getKey))
            .toList();
    List<Map.Entry<Integer, Seen>> kept =
        FairShare.best(worth, e -> roleOf[e.getValue().place], most).stream()
            .sorted(Map.Entry.comparingByKey())
            .toList();
    int[] hashes = kept.stream().mapToInt(Map.Entry::getKey).toArray();
    byte[] node = new byte[hashes.length];
    byte[] places = new byte[hashes.length];
    for (int i = 0; i < node.length; i++) {
      node[i] = (byte) kept.get(i).getValue().best();
      places[i] = (byte) kept.get(i).getValue().place;
    }
    return new Found(new KnownKeys(predicates, hashes, node), places);
  }
}
