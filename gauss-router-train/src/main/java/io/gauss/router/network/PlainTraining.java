package io.gauss.router.network;

import io.gauss.jdbc.routing.model.Layer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Trains the network in plain Java: the same loss, optimizer (Adam, Kingma and Ba 2015) and batches
 * as {@link TorchTraining}, without its libraries. Most inputs are 0 and cost nothing. Thread-safe.
 */
public final class PlainTraining implements NetworkTraining {
  private static final double BETA1 = 0.9;
  private static final double BETA2 = 0.999;
  private static final double EPSILON = 1e-8;

  /** A layer while it is trained. */
  private static final class Part {
    private final Layer layer;
    private final float[] weights;
    private final float[] bias;
    private final float[] weightGradients;
    private final float[] biasGradients;
    private final float[] weightMoments;
    private final float[] weightSquares;
    private final float[] biasMoments;
    private final float[] biasSquares;
    private final float[] outputs;
    private final float[] errors; // of the outputs, before the activation

    private Part(Layer layer) {
      this.layer = layer;
      weights = layer.weights().clone();
      bias = layer.bias().clone();
      weightGradients = new float[weights.length];
      biasGradients = new float[bias.length];
      weightMoments = new float[weights.length];
      weightSquares = new float[weights.length];
      biasMoments = new float[bias.length];
      biasSquares = new float[bias.length];
      outputs = new float[bias.length];
      errors = new float[bias.length];
    }

    private void forward(float[] input, int[] used, int count, boolean isLast) {
      int width = layer.inputs();
      for (int o = 0; o < outputs.length; o++) {
        float sum = bias[o];
        for (int i = 0; i < count; i++) {
          sum += weights[o * width + used[i]] * input[used[i]];
        }
        outputs[o] = isLast ? sum : Math.max(0, sum);
      }
    }

    /** Adds to the gradients; {@code below} gets the errors of the inputs if it is not null. */
    private void backward(float[] input, int[] used, int count, float[] below) {
      int width = layer.inputs();
      for (int o = 0; o < outputs.length; o++) {
        float error = errors[o];
        if (error != 0) {
          biasGradients[o] += error;
          for (int i = 0; i < count; i++) {
            weightGradients[o * width + used[i]] += error * input[used[i]];
            if (below != null) {
              below[used[i]] += error * weights[o * width + used[i]];
            }
          }
        }
      }
    }

    private void step(int step) {
      double rate =
          Training.RATE * Math.sqrt(1 - Math.pow(BETA2, step)) / (1 - Math.pow(BETA1, step));
      adam(weights, weightGradients, weightMoments, weightSquares, rate);
      adam(bias, biasGradients, biasMoments, biasSquares, rate);
    }

    private static void adam(
        float[] values, float[] gradients, float[] moments, float[] squares, double rate) {
      for (int i = 0; i < values.length; i++) {
        float gradient = gradients[i];
        moments[i] += (float) ((1 - BETA1) * (gradient - moments[i]));
        squares[i] += (float) ((1 - BETA2) * (gradient * gradient - squares[i]));
        values[i] -= (float) (rate * moments[i] / (Math.sqrt(squares[i]) + EPSILON));
        gradients[i] = 0;
      }
    }
  }

  /** The network while it is trained. */
  private static final class Network {
    private final List<Part> parts = new ArrayList<>();
    private final int[][] used; // by layer, places of the inputs that are not 0
    private final int[] counts;

    private Network(List<Layer> layers) {
      layers.forEach(layer -> parts.add(new Part(layer)));
      used = new int[layers.size()][];
      counts = new int[layers.size()];
      for (int i = 0; i < used.length; i++) {
        used[i] = new int[layers.get(i).inputs()];
      }
    }

    private void add(float[] x, float[] y) {
      float[] input = x;
      for (int l = 0; l < parts.size(); l++) {
        counts[l] = find(input, used[l]);
        parts.get(l).forward(input, used[l], counts[l], l == parts.size() - 1);
        input = parts.get(l).outputs;
      }
      Part last = parts.getLast();
      float share = 1f / (Training.BATCH * y.length);
      for (int o = 0; o < y.length; o++) {
        last.errors[o] = (float) (1 / (1 + Math.exp(-last.outputs[o])) - y[o]) * share;
      }
      for (int l = parts.size() - 1; l >= 0; l--) {
        Part below = l == 0 ? null : parts.get(l - 1);
        if (below != null) {
          Arrays.fill(below.errors, 0);
        }
        // What is 0 after the activation gets no error: it is not among the used inputs.
        parts
            .get(l)
            .backward(
                below == null ? x : below.outputs,
                used[l],
                counts[l],
                below == null ? null : below.errors);
      }
    }

    private static int find(float[] input, int[] places) {
      int count = 0;
      for (int i = 0; i < input.length; i++) {
        if (input[i] != 0) {
          places[count++] = i;
        }
      }
      return count;
    }

    private List<Layer> layers() {
      List<Layer> trained = new ArrayList<>();
      for (Part part : parts) {
        Training.check(part.weights);
        Training.check(part.bias);
        trained.add(new Layer(part.layer.inputs(), part.layer.outputs(), part.weights, part.bias));
      }
      return trained;
    }
  }

  private final LongSupplier nanoClock;

  /**
   * @param nanoClock as {@link System#nanoTime}
   */
  public PlainTraining(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  @Override
  public TrainedNetwork train(TrainingTask task, BooleanSupplier isEnough) {
    BooleanSupplier end = Training.end(task, isEnough, nanoClock);
    TrainingRows rows = task.rows();
    Network network = new Network(task.layers());
    Random random = new Random(task.seed());
    float[] x = new float[rows.inputs()];
    float[] y = new float[rows.outputs()];
    int done = 0;
    while (done < task.steps() && !end.getAsBoolean()) {
      for (int b = 0; b < Training.BATCH; b++) {
        int row = rows.pick(random);
        rows.writeInput(row, x, 0);
        rows.writeOutput(row, y, 0);
        network.add(x, y);
      }
      done++;
      for (Part part : network.parts) {
        part.step(done);
      }
    }
    return new TrainedNetwork(network.layers(), done);
  }
}
