package io.gauss.router.process;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Layout of the frames between a compute node and the process that trains for it. Both are of the
 * same release, since the one starts the other: another version is refused.
 *
 * <pre>
 *  0  4  magic "GTR\1" as bytes
 *  4  1  version of the format
 *  5  1  type
 *  6  2  0
 *  8  4  length of the body, at most 1 MB
 * 12  4  CRC-32C of bytes 0 to 11 and the body
 * 16     body
 *
 * TASK         begins a task; WEIGHTS, then ROWS follow until they are complete
 *    0  8  seed
 *    8  8  milliseconds that training may take
 *   16  4  steps at most
 *   20  4  number of rows
 *   24  4  number of layers
 *   28     for each layer: inputs u32, outputs u32
 * WEIGHTS      floats: of each layer the weights, then the bias; in as many frames as it takes
 * ROWS         for each row:
 *    0  8  weight, double
 *    8  2  number of inputs that are not 0
 *   10  2  number of outputs that are not 0
 *   12     for each of them, ascending: place u16, value float
 * STOP         ends training: what has been trained so far is the result
 * READY        the process can train
 * NO_ENGINE    it cannot, since PyTorch is missing or cannot be loaded: why, in UTF-8
 * TRAINED      begins a result: steps done u32; WEIGHTS follow
 * FAILED       the task has failed: why, in UTF-8
 * </pre>
 */
final class TrainingLayout {
  static final int MAGIC = 0x01525447;
  static final int VERSION = 1;

  static final int VERSION_OFFSET = 4;
  static final int TYPE_OFFSET = 5;
  static final int LENGTH_OFFSET = 8;
  static final int CRC_OFFSET = 12;
  static final int BODY_OFFSET = 16;

  /** To the process. */
  static final int TASK = 1;

  static final int WEIGHTS = 2;
  static final int ROWS = 3;
  static final int STOP = 4;

  /** From the process, and {@link #WEIGHTS}. */
  static final int READY = 16;

  static final int NO_ENGINE = 17;
  static final int TRAINED = 18;
  static final int FAILED = 19;

  static final int SEED_OFFSET = 0;
  static final int MILLIS_OFFSET = 8;
  static final int STEPS_OFFSET = 16;
  static final int ROW_COUNT_OFFSET = 20;
  static final int LAYER_COUNT_OFFSET = 24;
  static final int LAYERS_OFFSET = 28;
  static final int LAYER_BYTES = 8;

  static final int ROW_HEADER = 12;
  static final int NUMBER_BYTES = Character.BYTES + Float.BYTES;

  static final int MAX_BODY = 1 << 20;

  /** Bounds of a task. What is larger is refused by both sides. */
  static final int MAX_LAYERS = 8;

  static final int MAX_WEIGHTS = 4 << 20;
  static final int MAX_ROWS = 1 << 20;
  static final long MAX_ROW_BYTES = 64L << 20;

  /** Of a reason, in bytes. */
  static final int MAX_REASON = 1000;

  private TrainingLayout() {}

  static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The checksum of a frame. */
  static int crc(byte[] header, byte[] body, int length) {
    CRC32C crc = new CRC32C();
    crc.update(header, 0, CRC_OFFSET);
    crc.update(body, 0, length);
    return (int) crc.getValue();
  }
}
