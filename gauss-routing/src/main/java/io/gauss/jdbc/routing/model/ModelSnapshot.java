package io.gauss.jdbc.routing.model;

/** A model that is in use, with everything prepared for it. Thread-safe. */
public final class ModelSnapshot implements AutoCloseable {
  /** Below this probability of the likeliest pages the model is only guessing. */
  public static final float LEAST_PROBABILITY = 0.1f;

  private record Buffers(float[] input, float[] output) {}

  private final RoutingModel model;
  private final FeatureEncoder encoder;
  private final Engine engine;
  private final NodeScores scores;
  private final Pool<Buffers> buffers;

  /**
   * @param engine over the model's layers; closed with this
   */
  public ModelSnapshot(RoutingModel model, Engine engine) {
    this.model = model;
    this.encoder = new FeatureEncoder(model.columns(), model.templates());
    this.engine = engine;
    this.scores = new NodeScores(model);
    this.buffers =
        new Pool<>(() -> new Buffers(new float[model.inputs()], new float[model.outputs()]));
  }

  /** What it was made of. */
  public RoutingModel model() {
    return model;
  }

  /** How statements become inputs. */
  public FeatureEncoder encoder() {
    return encoder;
  }

  /** The engine that computes the network. */
  public Engine engine() {
    return engine;
  }

  /**
   * {@link FeatureEncoder#quantised}, except that values that may be looked up are not quantised.
   */
  public long quantised(int place, Object[] values) {
    long quantised = encoder.quantised(place, values);
    int exact = model.keys().predicate(place, values.length);
    return exact < 0 || values[exact] == null
        ? quantised
        : FeatureEncoder.mix(quantised ^ KnownKeys.hash(place, values[exact]));
  }

  /** Whether the statement's node is looked up, not computed. */
  public boolean looksUp(int place, Object[] values) {
    return model.keys().node(place, values) >= 0;
  }

  /**
   * Scores of a statement.
   *
   * @param place of its template, at least 0
   * @return for each of the model's nodes its {@linkplain NodeScores score}; null when the model
   *     expects no range to be touched with {@link #LEAST_PROBABILITY}
   * @throws IllegalStateException when the engine is closed or fails
   */
  public float[] scores(int place, int[] operators, Object[] values) {
    int known = model.keys().node(place, values);
    if (known >= 0) {
      float[] only = new float[model.nodes().size()];
      only[known] = 1;
      return only;
    }
    Buffers b = buffers.take();
    try {
      encoder.encode(place, operators, values, b.input);
      engine.infer(b.input, b.output);
      float highest = 0;
      for (float p : b.output) {
        highest = Math.max(highest, p);
      }
      return highest < LEAST_PROBABILITY ? null : scores.of(b.output);
    } finally {
      buffers.give(b);
    }
  }

  @Override
  public void close() {
    engine.close();
  }
}
