package io.gauss.jdbc.routing.model;

/**
 * A fully connected layer. The arrays are not to be changed.
 *
 * @param inputs number of inputs
 * @param outputs number of outputs
 * @param weights row by row: those of output 0 for all inputs first
 * @param bias one for each output
 */
public record Layer(int inputs, int outputs, float[] weights, float[] bias) {
  public Layer {
    if (inputs < 1
        || outputs < 1
        || weights.length != (long) inputs * outputs
        || bias.length != outputs) {
      throw new IllegalArgumentException(
          inputs + " x " + outputs + ": " + weights.length + ", " + bias.length);
    }
  }
}
