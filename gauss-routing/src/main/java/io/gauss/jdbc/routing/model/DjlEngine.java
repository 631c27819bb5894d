package io.gauss.jdbc.routing.model;

import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.core.Linear;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Computes the network with DJL and PyTorch. The only class of the driver that refers to DJL's
 * types: it must not be touched before these are known to be present.
 *
 * <p>Weights are tensors outside of the heap, so calls hold a read lock against {@link #close};
 * inputs and results of a call live in a separate manager.
 */
public final class DjlEngine implements Engine {
  private static final String OPT_OUT = "OPT_OUT_TRACKING";
  private static final String PYTORCH = "PyTorch";

  private final ReadWriteLock open = new ReentrantReadWriteLock();
  private final NDManager manager;
  private final List<NDArray[]> layers = new ArrayList<>();
  private boolean closed;

  /**
   * Loads PyTorch when that has not been done yet: about a second, and the first time on a machine
   * its libraries are unpacked (432 MB in {@code DJL_CACHE_DIR}).
   *
   * @throws IllegalStateException when PyTorch cannot be loaded
   */
  public DjlEngine(List<Layer> network) {
    sayNothingToItsMakers();
    try {
      this.manager = ai.djl.engine.Engine.getEngine(PYTORCH).newBaseManager();
    } catch (EngineException | IllegalArgumentException | LinkageError e) {
      throw new IllegalStateException("PyTorch cannot be loaded: " + e.getMessage(), e);
    }
    for (Layer layer : network) {
      NDArray weights = manager.create(layer.weights(), new Shape(layer.outputs(), layer.inputs()));
      layers.add(new NDArray[] {weights, manager.create(layer.bias())});
    }
  }

  /**
   * Turns off DJL's telemetry: DJL asks the cloud's metadata service where it runs, and reports
   * that to its makers. To be called before anything else of DJL; a setting of the application is
   * kept.
   */
  public static void sayNothingToItsMakers() {
    if (System.getProperty(OPT_OUT) == null && System.getenv(OPT_OUT) == null) {
      System.setProperty(OPT_OUT, "true");
    }
  }

  @Override
  public void infer(float[] input, float[] output) {
    open.readLock().lock();
    try (NDManager call = closedOr(manager)) {
      NDArray x = call.create(input, new Shape(1, input.length));
      for (int i = 0; i < layers.size(); i++) {
        NDArray[] layer = layers.get(i);
        x = Linear.linear(x, layer[0], layer[1]).singletonOrThrow();
        x = i < layers.size() - 1 ? Activation.relu(x) : Activation.sigmoid(x);
      }
      System.arraycopy(x.toFloatArray(), 0, output, 0, output.length);
    } catch (EngineException | LinkageError e) {
      // A linkage error: DJL is present in an incompatible version.
      throw new IllegalStateException("PyTorch failed: " + e.getMessage(), e);
    } finally {
      open.readLock().unlock();
    }
  }

  private NDManager closedOr(NDManager parent) {
    if (closed) {
      throw new IllegalStateException("the model was replaced");
    }
    return parent.newSubManager();
  }

  @Override
  public String name() {
    return "djl";
  }

  @Override
  public void close() {
    open.writeLock().lock();
    try {
      closed = true;
      manager.close();
    } finally {
      open.writeLock().unlock();
    }
  }
}
