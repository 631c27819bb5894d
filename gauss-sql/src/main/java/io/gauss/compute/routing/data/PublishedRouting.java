package io.gauss.compute.routing.data;

import java.util.zip.CRC32C;

/**
 * The data by which drivers route. Arrays must not be modified.
 *
 * @param version higher than all earlier ones; 0 = nothing has been learned yet
 * @param publishedMicros µs since 2000-01-01 UTC
 * @param model for drivers that route by a model, in their format; null when there is none
 * @param table for drivers that route by a table, in their format; null when there is none
 * @param sources of which tables the values in model and table are, in a format of those who learn;
 *     null = that is not known, and they are for superusers only
 * @param owners which node is to own which pages
 */
@SuppressWarnings("ArrayRecordComponent") // publications are compared by their versions
public record PublishedRouting(
    long version,
    long publishedMicros,
    byte[] model,
    byte[] table,
    byte[] sources,
    GroupOwners owners) {
  public static final PublishedRouting NONE =
      new PublishedRouting(0, 0, null, null, null, GroupOwners.NONE);

  /** Larger ones are not published: every driver loads them. */
  public static final int MOST_BYTES = 4 << 20;

  /** The same with another model and table. */
  public PublishedRouting with(byte[] otherModel, byte[] otherTable) {
    return new PublishedRouting(version, publishedMicros, otherModel, otherTable, sources, owners);
  }

  /** CRC32C of the model or the table. */
  public static long checksum(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content);
    return crc.getValue();
  }
}
