package io.gauss.router.train;

import io.gauss.jdbc.routing.model.FeatureEncoder;
import io.gauss.jdbc.routing.model.GroupRange;
import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.Layer;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.NodeScores;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.statement.StatementTemplate;
import io.gauss.router.network.BoundedRows;
import io.gauss.router.network.NetworkTraining;
import io.gauss.router.network.TrainedNetwork;
import io.gauss.router.network.Training;
import io.gauss.router.network.TrainingRows;
import io.gauss.router.network.TrainingTask;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The model from round to round: its inputs, which unit each group is in, and the layers, from
 * which the next round continues. Outputs follow their units when these get other numbers.
 *
 * <p>Not thread-safe.
 */
final class UnitModel {
  private static final Logger LOG = LoggerFactory.getLogger(UnitModel.class);

  /**
   * Of all rows to train on, as they are sent to the process that trains, which takes no more than
   * 64 MB: 20,000 of statements with eight columns whose transactions touch units without number.
   */
  static final long MOST_ROW_BYTES = 48L << 20;

  /** What a group that no sample of the round has touched counts for in its unit. */
  private static final double UNSEEN = 0.01;

  private final TrainerSettings settings;
  private final NetworkTraining training;
  private FeatureSpace space;
  private Map<Long, Integer> unitOf = Map.of();
  private int units;
  private List<Layer> layers = List.of();

  UnitModel(TrainerSettings settings, NetworkTraining training) {
    this.settings = settings;
    this.training = training;
  }

  /** Inputs of the last round; null before the first. */
  FeatureSpace space() {
    return space;
  }

  /**
   * Continues with the published model of another trainer, if it is of the same shape; otherwise
   * the network begins anew.
   *
   * @param tables by column, the tables of which its values are
   * @param unitByGroup of the groups that it was trained for
   */
  void resume(RoutingModel published, Map<String, int[]> tables, Map<Long, Integer> unitByGroup) {
    List<Layer> known = published.layers();
    if (known.size() == 2 && known.get(0).outputs() == settings.hidden()) {
      space = new FeatureSpace(published.columns(), published.templates(), tables);
      layers = known;
      units = published.outputs();
      unitOf = new HashMap<>(unitByGroup);
      unitOf.values().removeIf(unit -> unit >= units);
    }
  }

  /**
   * Takes the round's inputs and units. What the network knows of templates, columns and units that
   * it had before goes on.
   */
  void prepare(FeatureSpace now, long[] groups, int[] unit, int unitCount) {
    Map<Long, Integer> nowUnitOf = new HashMap<>();
    for (int v = 0; v < groups.length; v++) {
      nowUnitOf.put(groups[v], unit[v]);
    }
    FeatureSpace next = space == null ? now : now.continuing(space);
    int inputs = FeatureEncoder.width(next.templates().size(), next.columns().size());
    int[] sizes = {inputs, settings.hidden(), unitCount};
    List<Layer> fresh = Training.random(sizes, settings.seed());
    layers =
        space == null
            ? fresh
            : List.of(
                inputs(layers.get(0), fresh.get(0), space, next),
                outputs(layers.get(1), fresh.get(1), nowUnitOf));
    space = next;
    unitOf = nowUnitOf;
    units = unitCount;
  }

  /** The first layer for the new templates and columns; those that were not there are random. */
  private static Layer inputs(Layer before, Layer fresh, FeatureSpace from, FeatureSpace to) {
    float[] weights = fresh.weights().clone();
    for (int i = 0; i < to.templates().size(); i++) {
      int was = from.template(to.templates().get(i).id());
      if (was >= 0) {
        copy(before, was, weights, fresh.inputs(), i, 1);
      }
    }
    for (int c = 0; c < to.columns().size(); c++) {
      int was = from.column(to.columns().get(c));
      if (was >= 0) {
        int at = from.templates().size() + was * FeatureEncoder.BLOCK;
        int into = to.templates().size() + c * FeatureEncoder.BLOCK;
        copy(before, at, weights, fresh.inputs(), into, FeatureEncoder.BLOCK);
      }
    }
    return new Layer(fresh.inputs(), fresh.outputs(), weights, before.bias());
  }

  private static void copy(Layer from, int at, float[] to, int width, int into, int count) {
    for (int u = 0; u < from.outputs(); u++) {
      System.arraycopy(from.weights(), u * from.inputs() + at, to, u * width + into, count);
    }
  }

  /** The output layer for the new units: that of the old unit with the most groups in common. */
  private Layer outputs(Layer before, Layer fresh, Map<Long, Integer> nowUnitOf) {
    int[][] common = new int[fresh.outputs()][before.outputs()];
    nowUnitOf.forEach(
        (group, unit) -> {
          Integer was = unitOf.get(group);
          if (was != null) {
            common[unit][was]++;
          }
        });
    float[] weights = fresh.weights().clone();
    float[] bias = fresh.bias().clone();
    for (int u = 0; u < fresh.outputs(); u++) {
      int from = -1;
      for (int w = 0; w < before.outputs(); w++) {
        from = common[u][w] > 0 && (from < 0 || common[u][w] > common[u][from]) ? w : from;
      }
      if (from >= 0) {
        int width = fresh.inputs();
        System.arraycopy(before.weights(), from * width, weights, u * width, width);
        bias[u] = before.bias()[from];
      }
    }
    return new Layer(fresh.inputs(), fresh.outputs(), weights, bias);
  }

  /**
   * Trains on these samples; those whose template the model does not have are skipped.
   *
   * @param millis that training may take, ms
   * @param isUrgent whether little training now is better than more training later
   * @param isOutdated called from time to time; ends training when it returns true
   * @return number of steps done
   */
  int train(
      List<TransactionSample> samples,
      long millis,
      boolean isUrgent,
      BooleanSupplier isOutdated,
      long seed) {
    TrainingRows rows = rows(samples, seed);
    if (rows.size() == 0) {
      return 0;
    }
    TrainedNetwork trained =
        training.train(
            new TrainingTask(layers, rows, settings.maxSteps(), millis, seed, isUrgent),
            isOutdated);
    layers = trained.layers();
    return trained.steps();
  }

  /**
   * All samples of a role weigh as much together as it has samples: the network is to know the
   * transactions of all roles, not only of who has most. Where templates have so many columns that
   * all would take too much memory, it is an even share of them.
   */
  private TrainingRows rows(List<TransactionSample> samples, long seed) {
    FeatureEncoder encoder = new FeatureEncoder(space.columns(), space.templates());
    List<TransactionSample> known =
        samples.stream()
            .filter(s -> encoder.place(s.template().id(), s.values().length) >= 0)
            .toList();
    Map<Integer, double[]> byRole = new HashMap<>(); // weight and number
    for (TransactionSample s : known) {
      double[] of = byRole.computeIfAbsent(s.role(), r -> new double[2]);
      of[0] += s.weight();
      of[1]++;
    }
    Map<StatementTemplate, int[]> operators = new HashMap<>();
    float[] input = new float[encoder.width()];
    float[] output = new float[units];
    BoundedRows rows = new BoundedRows(input.length, units, MOST_ROW_BYTES, seed);
    for (TransactionSample s : known) {
      int place = encoder.place(s.template().id(), s.values().length);
      int[] of = operators.computeIfAbsent(s.template(), t -> t.operatorOrdinals());
      encoder.encode(place, of, s.values(), input);
      targets(s, output, 0);
      double[] role = byRole.get(s.role());
      rows.add(s.weight() * role[1] / role[0], input, output);
    }
    if (rows.dropped() > 0) {
      LOG.debug(
          "{} of {} samples are trained on: more would take too much memory",
          known.size() - rows.dropped(),
          known.size());
    }
    return rows.build();
  }

  private void targets(TransactionSample sample, float[] into, int from) {
    Arrays.fill(into, from, from + units, 0);
    double[] weights = AffinityGraph.weights(sample);
    for (int g = 0; g < weights.length; g++) {
      Integer unit = unitOf.get(sample.groups()[g]);
      if (unit != null) {
        into[from + unit] = Math.max(into[from + unit], (float) weights[g]);
      }
    }
  }

  /** Mean binary cross entropy over samples and units; NaN without known samples. */
  double loss(RoutingModel model, List<TransactionSample> samples) {
    FeatureEncoder encoder = new FeatureEncoder(model.columns(), model.templates());
    JavaEngine engine = new JavaEngine(model.layers());
    float[] input = new float[model.inputs()];
    float[] output = new float[model.outputs()];
    float[] target = new float[model.outputs()];
    double sum = 0;
    long count = 0;
    for (TransactionSample s : samples) {
      int place = encoder.place(s.template().id(), s.values().length);
      if (place >= 0) {
        encoder.encode(place, s.template().operatorOrdinals(), s.values(), input);
        engine.infer(input, output);
        targets(s, target, 0);
        for (int u = 0; u < output.length; u++) {
          double p = Math.min(Math.max(output[u], 1e-7), 1 - 1e-7);
          sum -= target[u] * Math.log(p) + (1 - target[u]) * Math.log(1 - p);
        }
        count += output.length;
      }
    }
    return count == 0 ? Double.NaN : sum / count;
  }

  /**
   * The model as it is published.
   *
   * @param owners node by group, for those that no sample of the round has touched
   */
  RoutingModel publication(
      long version, TransactionHomes homes, List<Integer> nodes, Map<Long, Integer> owners) {
    long[] first = new long[units];
    long[] last = new long[units];
    Arrays.fill(first, Long.MAX_VALUE);
    double[][] use = new double[nodes.size()][units];
    unitOf.forEach(
        (group, unit) -> {
          first[unit] = Math.min(first[unit], group);
          last[unit] = Math.max(last[unit], group);
          double[] shares = homes.shares().get(group);
          for (int n = 0; n < nodes.size() && shares != null; n++) {
            use[n][unit] += shares[n];
          }
          int owner = shares == null ? nodes.indexOf(owners.getOrDefault(group, 0)) : -1;
          if (owner >= 0) {
            use[owner][unit] += UNSEEN;
          }
        });
    List<GroupRange> ranges = new ArrayList<>();
    for (int u = 0; u < units; u++) {
      ranges.add(new GroupRange(first[u], last[u]));
    }
    List<NodeShare> shares = new ArrayList<>();
    for (int n = 0; n < nodes.size(); n++) {
      shares.add(new NodeShare(nodes.get(n), settings.loadWeight(), owned(use, n)));
    }
    return new RoutingModel(version, space.columns(), space.templates(), layers, ranges, shares);
  }

  /** Equal use by all nodes means nothing: only a node's use above its equal share counts. */
  private float[] owned(double[][] use, int node) {
    float[] owned = new float[units];
    double even = 1.0 / use.length;
    for (int u = 0; u < units; u++) {
      double sum = 0;
      for (double[] of : use) {
        sum += of[u];
      }
      double share = sum == 0 ? 0 : use[node][u] / sum;
      owned[u] = (float) (use.length == 1 ? share : Math.max(0, (share - even) / (1 - even)));
    }
    return owned;
  }

  /** The node to which drivers send a sample by a model, without loads; 0 = it does not know. */
  static int node(ModelSnapshot model, TransactionSample sample) {
    int place = model.encoder().place(sample.template().id(), sample.values().length);
    if (place < 0 || !model.encoder().tells(place, sample.values())) {
      return 0;
    }
    float[] scores = model.scores(place, sample.template().operatorOrdinals(), sample.values());
    int best = NodeScores.best(scores, NodeScores.CONFIDENCE);
    return best < 0 ? 0 : model.model().nodes().get(best).node();
  }
}
