package io.gauss.router.network;

import io.gauss.jdbc.routing.model.Layer;
import java.util.List;

/**
 * The result of training.
 *
 * @param layers afterwards
 * @param steps number of steps done
 */
public record TrainedNetwork(List<Layer> layers, int steps) {}
