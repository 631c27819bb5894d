package io.gauss.server.format;

import io.gauss.router.process.TrainingExamples;
import io.gauss.server.format.Format.Space;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Frames between a compute node and the process that trains for it. */
final class TrainingFormats {
  private TrainingFormats() {}

  static List<Format> all() {
    List<Format> all = new ArrayList<>();
    try {
      TrainingExamples.frames()
          .forEach(
              (type, frame) ->
                  all.add(
                      Format.of(
                          Space.TRAINING,
                          type,
                          TrainingExamples.VERSION,
                          TrainingExamples.names().get(type),
                          "TrainingLayout TrainingCodec",
                          frame)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }
}
