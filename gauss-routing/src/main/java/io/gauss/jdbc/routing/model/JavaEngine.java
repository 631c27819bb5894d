package io.gauss.jdbc.routing.model;

import java.util.List;

/**
 * The network as loops over floats. Weights are transposed when the engine is created, so that the
 * inner loop adds one input's column to all outputs: the compiler vectorizes it, and inputs that
 * are 0 (most features, and half of the values after ReLU) cost nothing. Nothing is allocated per
 * call unless more threads compute at once than {@link Pool} has places.
 */
public final class JavaEngine implements Engine {
  private final Layer[] layers;
  private final float[][] columns;
  private final Pool<float[][]> buffers;

  public JavaEngine(List<Layer> layers) {
    this.layers = layers.toArray(Layer[]::new);
    this.columns = new float[layers.size()][];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = turned(this.layers[i]);
    }
    this.buffers = new Pool<>(this::newBuffers);
  }

  private static float[] turned(Layer layer) {
    float[] turned = new float[layer.weights().length];
    for (int out = 0; out < layer.outputs(); out++) {
      for (int in = 0; in < layer.inputs(); in++) {
        turned[in * layer.outputs() + out] = layer.weights()[out * layer.inputs() + in];
      }
    }
    return turned;
  }

  private float[][] newBuffers() {
    float[][] hidden = new float[layers.length - 1][];
    for (int i = 0; i < hidden.length; i++) {
      hidden[i] = new float[layers[i].outputs()];
    }
    return hidden;
  }

  @Override
  public void infer(float[] input, float[] output) {
    float[][] hidden = buffers.take();
    float[] from = input;
    for (int i = 0; i < layers.length; i++) {
      float[] to = i < hidden.length ? hidden[i] : output;
      forward(layers[i], columns[i], from, to);
      if (i < hidden.length) {
        for (int k = 0; k < to.length; k++) {
          to[k] = Math.max(to[k], 0);
        }
      }
      from = to;
    }
    for (int k = 0; k < output.length; k++) {
      output[k] = (float) (1 / (1 + Math.exp(-output[k])));
    }
    buffers.give(hidden);
  }

  private static void forward(Layer layer, float[] columns, float[] from, float[] to) {
    int outputs = layer.outputs();
    System.arraycopy(layer.bias(), 0, to, 0, outputs);
    for (int in = 0; in < layer.inputs(); in++) {
      float x = from[in];
      if (x != 0) {
        int base = in * outputs;
        for (int out = 0; out < outputs; out++) {
          to[out] += columns[base + out] * x;
        }
      }
    }
  }

  @Override
  public String name() {
    return "java";
  }

  @Override
  public void close() {}
}
