package io.gauss.compute.cluster.clock;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.MessageType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * The call by which a compute node informs another of its clock. Integers are little-endian; the
 * transport verifies checksums and also stamps sender, epoch and clock.
 *
 * <pre>
 * call                                            answer
 *  0  4  version, 2                                0  4  version, 2
 *  4  4  epoch of the node that is called          4  4  epoch of the node that answers
 *  8  8  caller's lower bound (LSN)                8  8  clock (LSN), read after the lease was given
 * 16  8  own suspension that the caller wants     16  8  lower bound (LSN)
 *        to end, 0 = none                         24  8  duration of the lease in nanoseconds
 * 24  8  newest change of the catalog that the    32  8  newest change of the catalog that the node
 *        caller has committed (LSN), 0 = none            that answers knows of (LSN), 0 = none
 * </pre>
 *
 * The caller's clock is in the header of its call. The clock in the answer is not above the one in
 * the answer's header, to which the receiver's clock has been raised.
 */
final class ClockMessages {
  static final int VERSION = 2;
  static final MessageType ADVANCE = new MessageType(0x0601, "clock.advance");
  static final int CALL_BYTES = 32;
  static final int ANSWER_BYTES = 40;

  record Call(int calledEpoch, long bound, long resumes, long catalog) {}

  record Answer(int epoch, long clock, long bound, long lease, long catalog) {}

  private ClockMessages() {}

  static ByteBuf encode(ByteBufAllocator allocator, Call call) {
    return allocator
        .directBuffer(CALL_BYTES)
        .writeIntLE(VERSION)
        .writeIntLE(call.calledEpoch())
        .writeLongLE(call.bound())
        .writeLongLE(call.resumes())
        .writeLongLE(call.catalog());
  }

  static ByteBuf encode(ByteBufAllocator allocator, Answer answer) {
    return allocator
        .directBuffer(ANSWER_BYTES)
        .writeIntLE(VERSION)
        .writeIntLE(answer.epoch())
        .writeLongLE(answer.clock())
        .writeLongLE(answer.bound())
        .writeLongLE(answer.lease())
        .writeLongLE(answer.catalog());
  }

  /**
   * Reads a call.
   *
   * @throws GaussException 0A000 for a version that this build does not know
   */
  static Call call(ByteBuf payload) {
    check(payload, CALL_BYTES);
    return new Call(
        payload.readIntLE(), payload.readLongLE(), payload.readLongLE(), payload.readLongLE());
  }

  /**
   * Reads an answer.
   *
   * @throws GaussException 0A000 for a version that this build does not know
   */
  static Answer answer(ByteBuf payload) {
    check(payload, ANSWER_BYTES);
    return new Answer(
        payload.readIntLE(),
        payload.readLongLE(),
        payload.readLongLE(),
        payload.readLongLE(),
        payload.readLongLE());
  }

  private static void check(ByteBuf payload, int bytes) {
    if (payload.readableBytes() != bytes || payload.readIntLE() != VERSION) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED, "this version of clock messages is not known");
    }
  }
}
