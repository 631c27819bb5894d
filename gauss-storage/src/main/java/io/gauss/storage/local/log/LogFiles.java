package io.gauss.storage.local.log;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.redo.MtrLayout;
import io.gauss.storage.api.LogStream.LogReader;
import io.gauss.storage.disk.DiskFile;
import io.gauss.storage.disk.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Reads the log files of a data directory, for tools. It takes no lock, changes nothing, and may be
 * used while a node writes there. It reads whole appends up to the last one in the files, as a
 * restart would; the very last ones may not be forced yet. Not thread-safe.
 */
public final class LogFiles {
  private final Path directory;
  private final int stream;

  /** Heads by sequence number; see {@link #refresh}. */
  private TreeMap<Long, Head> heads = new TreeMap<>();

  /** A segment's head. */
  private record Head(
      Path file, long sequence, long base, long previousLsn, long durable, int run) {}

  /**
   * Finds the log.
   *
   * @param directory of the log, with its control file
   * @throws GaussException 58030 when there is none or it cannot be read, XX001 when it is damaged
   */
  public static LogFiles open(Path directory) {
    try {
      LogFiles files = new LogFiles(directory, streamOf(directory));
      files.refresh();
      return files;
    } catch (IOException e) {
      throw ioError("no log can be read in " + directory, e);
    }
  }

  private LogFiles(Path directory, int stream) {
    this.directory = directory;
    this.stream = stream;
  }

  private static int streamOf(Path directory) throws IOException {
    Path file = directory.resolve(LogControlLayout.FILE_NAME);
    for (int slot = 0; slot < 2; slot++) {
      ByteBuffer bytes =
          read(file, (long) slot * LogControlLayout.SLOT_DISTANCE, LogControlLayout.SLOT_BYTES);
      if (!bytes.hasRemaining()) {
        int stream = bytes.getInt(LogControlLayout.STREAM);
        if (LogControlLayout.isValid(bytes, 0, stream)) {
          return stream;
        }
      }
    }
    throw new GaussException(
        SqlState.DATA_CORRUPTED, "log corrupted: file " + file + " has no valid slot");
  }

  private long controlDurable() throws IOException {
    Path file = directory.resolve(LogControlLayout.FILE_NAME);
    long durable = 0;
    for (int slot = 0; slot < 2; slot++) {
      ByteBuffer bytes =
          read(file, (long) slot * LogControlLayout.SLOT_DISTANCE, LogControlLayout.SLOT_BYTES);
      if (!bytes.hasRemaining() && LogControlLayout.isValid(bytes, 0, stream)) {
        durable = Math.max(durable, bytes.getLong(LogControlLayout.DURABLE));
      }
    }
    return durable;
  }

  private static ByteBuffer read(Path file, long position, int bytes) throws IOException {
    try (DiskFile open = FileDisk.openReadOnly(file)) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
      open.read(buffer, position);
      return buffer;
    }
  }

  private static GaussException ioError(String what, IOException e) {
    return new GaussException(SqlState.IO_ERROR, what + ": " + e, e);
  }

  /** Lists the segments again: a running node creates new ones and reuses old ones. */
  private void refresh() throws IOException {
    TreeMap<Long, Head> found = new TreeMap<>();
    List<Path> files;
    try (Stream<Path> all = Files.list(directory)) {
      files = all.toList();
    }
    for (Path file : files) {
      long sequence = LogSegmentLayout.sequenceOf(file.getFileName().toString());
      if (sequence >= 0) {
        head(file, sequence, found);
      }
    }
    TreeMap<Long, Head> joined = new TreeMap<>();
    for (Head head : found.descendingMap().values()) {
      if (!joined.isEmpty() && joined.firstKey() != head.sequence() + 1) {
        if (isThere(joined.firstKey() - 1)) {
          refresh(); // the segment came into use while the others were read
          return;
        }
        break; // what lies below a gap was trimmed
      }
      joined.put(head.sequence(), head);
    }
    heads = joined;
  }

  private void head(Path file, long sequence, TreeMap<Long, Head> found) throws IOException {
    try {
      ByteBuffer head = read(file, 0, LogSegmentLayout.HEAD_BYTES);
      if (!head.hasRemaining() && LogSegmentLayout.isValid(head, 0, stream, sequence)) {
        found.put(
            sequence,
            new Head(
                file,
                sequence,
                head.getLong(LogSegmentLayout.BASE),
                head.getLong(LogSegmentLayout.PREVIOUS_LSN),
                head.getLong(LogSegmentLayout.DURABLE),
                head.getInt(LogSegmentLayout.RUN)));
      }
    } catch (NoSuchFileException e) {
      // The segment was trimmed and is being reused under another name.
    }
  }

  /** Whether there is a segment of that number now; a file without a valid head is damaged. */
  private boolean isThere(long sequence) throws IOException {
    Path file = directory.resolve(LogSegmentLayout.fileName(sequence));
    TreeMap<Long, Head> found = new TreeMap<>();
    head(file, sequence, found);
    if (found.isEmpty() && Files.exists(file)) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "log corrupted: file " + file + ", position 0: the head of the segment is damaged");
    }
    return !found.isEmpty();
  }

  public int streamId() {
    return stream;
  }

  /** Lowest offset that can be read. */
  public long startOffset() {
    return heads.isEmpty() ? 0 : heads.firstEntry().getValue().base();
  }

  /**
   * The present end of the log.
   *
   * @param offset after the last whole append
   * @param lastLsn highest LSN before it, 0 when there is none
   */
  public record End(long offset, long lastLsn) {}

  /** Finds the end of the log, which reads the last segment. */
  public End end() {
    return unlessTrimmed(this::lookForEnd);
  }

  private End lookForEnd() {
    if (heads.isEmpty()) {
      return new End(0, Lsn.NONE);
    }
    Head last = heads.lastEntry().getValue();
    long offset = last.base();
    long lastLsn = last.previousLsn();
    try (Reader reader = new Reader(offset)) {
      while (reader.next()) {
        offset = reader.next;
        lastLsn = reader.lastLsn();
      }
    }
    return new End(offset, lastLsn);
  }

  /**
   * Reads from an offset that is the start of an MTR.
   *
   * @throws GaussException 55000 when it was trimmed
   */
  public LogReader read(long fromOffset) {
    if (fromOffset < startOffset()) {
      throw trimmed(fromOffset);
    }
    return new Reader(fromOffset);
  }

  /**
   * Offset of the batch with the first record at or above an LSN; empty when it is after the end.
   *
   * @throws GaussException 55000 when it was trimmed
   */
  public OptionalLong locate(long csn) {
    return unlessTrimmed(() -> lookFor(csn));
  }

  /**
   * Looks again when the segment in which the look began was trimmed since the segments were
   * listed: the reader has listed them again. Each time the log begins later, or it is no use.
   */
  private <T> T unlessTrimmed(Supplier<T> look) {
    while (true) {
      long start = startOffset();
      try {
        return look.get();
      } catch (GaussException e) {
        if (e.state() != SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE || startOffset() <= start) {
          throw e;
        }
      }
    }
  }

  private OptionalLong lookFor(long csn) {
    if (heads.isEmpty()) {
      return OptionalLong.empty();
    }
    Head first = heads.firstEntry().getValue();
    if (first.previousLsn() != Lsn.NONE && csn <= first.previousLsn()) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "the records of stream %d from LSN %s on were trimmed; it starts behind LSN %s"
              .formatted(stream, Lsn.toString(csn), Lsn.toString(first.previousLsn())));
    }
    long from = first.base();
    for (Head head : heads.values()) {
      if (head.previousLsn() >= csn) {
        break;
      }
      from = head.base();
    }
    try (Reader reader = new Reader(from)) {
      while (reader.next()) {
        if (reader.lastLsn() >= csn) {
          return OptionalLong.of(reader.offset());
        }
      }
    }
    return OptionalLong.empty();
  }

  private GaussException trimmed(long offset) {
    return new GaussException(
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "offset %d of stream %d was trimmed; it starts at %d"
            .formatted(offset, stream, startOffset()));
  }

  private Head holding(long offset) {
    Head found = null;
    for (Head head : heads.values()) {
      if (head.base() <= offset) {
        found = head;
      }
    }
    return found;
  }

  /** Batches up to the last one in the files; a later call may return more. */
  private final class Reader implements LogReader {
    private final FrameScanner scanner = new FrameScanner(stream);
    private final long skipTo;
    private Head segment;
    private long position;
    private long next;
    private int run;
    private int skip;

    Reader(long fromOffset) {
      this.skipTo = fromOffset;
      this.next = fromOffset;
    }

    @Override
    public boolean next() {
      try {
        while (advance()) {
          if (next > skipTo) {
            skip = (int) Math.max(0, skipTo - (next - scanner.length()));
            return true;
          }
        }
        return false;
      } catch (IOException e) {
        throw ioError("the log in " + directory + " cannot be read", e);
      }
    }

    private boolean advance() throws IOException {
      if (segment == null) {
        refresh();
        Head first = holding(next);
        if (first == null) {
          if (next < startOffset()) {
            throw trimmed(next);
          }
          return false;
        }
        enter(first);
      }
      if (frame() || follow()) {
        return true;
      }
      if (durable() <= next) {
        return false;
      }
      // Either the frame was written since the first read, or it is missing although it had been
      // durable.
      if (frame() || follow()) {
        return true;
      }
      throw next < startOffset() ? trimmed(next) : damaged();
    }

    /** Continues in the next segment, if there is one that begins where this one ends. */
    private boolean follow() throws IOException {
      refresh();
      Head following = heads.get(segment.sequence() + 1);
      if (following == null || following.base() != next || following.run() < run) {
        return false;
      }
      enter(following);
      return frame();
    }

    private boolean frame() throws IOException {
      if (!scanner.read(position, next, run, Long.MAX_VALUE)) {
        return false;
      }
      run = scanner.run();
      next += scanner.length();
      position += LogBatchLayout.frameBytes(scanner.length());
      return true;
    }

    private void enter(Head entered) throws IOException {
      try {
        scanner.useFile(FileDisk.openReadOnly(entered.file()), true);
      } catch (NoSuchFileException e) {
        refresh();
        throw trimmed(next);
      }
      segment = entered;
      position = LogSegmentLayout.FRAMES;
      next = entered.base();
      run = entered.run();
    }

    private long durable() throws IOException {
      long known = controlDurable();
      for (Map.Entry<Long, Head> head : heads.entrySet()) {
        known = Math.max(known, head.getValue().durable());
      }
      return known;
    }

    private GaussException damaged() {
      return new GaussException(
          SqlState.DATA_CORRUPTED,
          "log corrupted: file %s, position %d: no intact batch of stream %d at offset %d"
              .formatted(segment.file(), position, stream, next));
    }

    @Override
    public long offset() {
      return next - scanner.length() + skip;
    }

    @Override
    public ByteBuffer bytes() {
      return scanner.payload(skip);
    }

    @Override
    public long firstLsn() {
      return skip == 0 ? scanner.firstLsn() : bytes().getLong(MtrLayout.BASE_LSN);
    }

    @Override
    public long lastLsn() {
      return scanner.lastLsn();
    }

    @Override
    public void close() {
      try {
        scanner.close();
      } catch (IOException e) {
        throw ioError("the log in " + directory + " cannot be closed", e);
      }
    }
  }
}
