package io.gauss.compute.sql.exec.join;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.HashJoinNode;
import io.gauss.compute.sql.exec.node.JoinType;
import io.gauss.compute.sql.exec.row.JoinTypes;
import io.gauss.compute.sql.exec.row.KeyHash;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.sql.exec.row.RowSerializer;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.KeyedRecord;
import io.gauss.compute.sql.exec.spill.KeyedTable;
import io.gauss.compute.sql.exec.spill.RowSpool;
import io.gauss.compute.sql.exec.spill.SpillFile;
import io.gauss.compute.sql.exec.spill.SpillPartitions;
import io.gauss.compute.type.ByteSink;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Hash join. The right input is read into a table at the first call; left rows then look up their
 * matches.
 *
 * <p>Above the work memory both inputs are divided by hash into partitions on disk (grace hash
 * join), and each pair of partitions is joined separately, or divided again when still too large.
 * Left rows with NULL keys never go to disk.
 */
public final class HashJoinOperator extends Operator {
  private final HashJoinNode node;
  private final JoinType type;
  private final Operator left;
  private final Operator right;
  private final KeyWriter leftKeys;
  private final KeyWriter rightKeys;
  private final RowSerializer leftRows;
  private final RowSerializer rightRows;
  private final int leftColumns;
  private final int rightColumns;
  private final RowBatch out;

  /** Left ++ right columns of one candidate pair, where {@link #out} does not have that layout. */
  private final RowBatch pair;

  private final KeyedTable table = new KeyedTable();
  private final KeyedRecord record = new KeyedRecord();
  private final ByteSink fileRecord = new ByteSink();
  private final RowSpool rightNulls;
  private final RowBatch fileRow;
  private long[] matched = new long[1];

  private ExecContext ctx;
  private boolean built;
  private boolean rightEmpty;
  private boolean rightHasNull;
  private Phase phase;

  /** Probe position: a batch of the left input, or one row from a partition file. */
  private RowBatch probe;

  private int probeRow;
  private int probeSize;
  private boolean rowStarted;
  private boolean rowMatched;
  private long probeHash;
  private int candidate;
  private int unmatchedEntry;
  private RowSpool.Reader nullReader;

  private SpillPartitions leftPartitions;
  private SpillPartitions rightPartitions;
  private final Deque<PartitionPair> pending = new ArrayDeque<>();
  private PartitionPair current;

  private record PartitionPair(SpillFile left, SpillFile right, int level) {
    void close() {
      if (left != null) {
        left.close();
      }
      if (right != null) {
        right.close();
      }
    }
  }

  private enum Phase {
    PROBE_INPUT,
    PROBE_FILE,
    UNMATCHED_ENTRIES,
    NEXT_PARTITION,
    RIGHT_NULLS,
    END
  }

  public HashJoinOperator(HashJoinNode node, Operator left, Operator right) {
    this.node = node;
    this.type = node.joinType();
    this.left = left;
    this.right = right;
    leftKeys = new KeyWriter(node.left().types(), node.leftKeys());
    rightKeys = new KeyWriter(node.right().types(), node.rightKeys());
    leftRows = new RowSerializer(node.left().types());
    rightRows = new RowSerializer(node.right().types());
    leftColumns = node.left().types().length;
    rightColumns = node.right().types().length;
    out = Rows.batch(node.types());
    pair =
        type.emitsRight() || node.residual() == null
            ? null
            : Rows.batch(JoinTypes.concat(node.left().types(), node.right().types()));
    rightNulls = keepsRight() ? new RowSpool(node.right().types()) : null;
    fileRow = Rows.batch(node.left().types());
  }

  private boolean keepsRight() {
    return type == JoinType.RIGHT || type == JoinType.FULL;
  }

  private boolean keepsLeft() {
    return type == JoinType.LEFT || type == JoinType.FULL;
  }

  @Override
  public void open(ExecContext context) {
    close();
    ctx = context;
    built = false;
    rightEmpty = true;
    rightHasNull = false;
    rowStarted = false;
    probe = null;
    probeRow = 0;
    probeSize = 0;
    phase = Phase.PROBE_INPUT;
    table.clear();
    if (rightNulls != null) {
      rightNulls.reset(context);
    }
    right.open(context);
    left.open(context);
  }

  private void build() {
    boolean once = node.residual() == null && !type.emitsRight();
    for (RowBatch in = right.next(); in != null; in = right.next()) {
      ctx.checkInterrupt();
      rightEmpty = false;
      for (int row = 0; row < in.size; row++) {
        record.startKey();
        boolean isNull = rightKeys.write(in, row, record.sink);
        record.endKey();
        if (isNull) {
          rightHasNull = true;
          if (rightNulls != null) {
            rightNulls.add(in, row);
          }
          continue;
        }
        long hash = record.hash();
        if (once
            && rightPartitions == null
            && table.find(hash, record.array(), 4, record.keyLength()) >= 0) {
          continue;
        }
        if (!once) {
          rightRows.write(in, row, record.sink);
        }
        addRight(hash);
      }
    }
    right.close();
    built = true;
    clearMatched();
  }

  private void addRight(long hash) {
    if (rightPartitions != null) {
      rightPartitions.add(hash, record.array(), 0, record.length());
      return;
    }
    table.add(hash, record.array(), record.length());
    if (table.bytes() > ctx.workMemoryBytes()) {
      rightPartitions = new SpillPartitions(ctx, 0);
      leftPartitions = new SpillPartitions(ctx, 0);
      moveTableTo(rightPartitions);
    }
  }

  private void moveTableTo(SpillPartitions partitions) {
    for (int entry = 0; entry < table.size(); entry++) {
      partitions.add(
          table.hash(entry),
          table.array(entry),
          table.recordOffset(entry),
          table.recordLength(entry));
    }
    table.clear();
  }

  private void clearMatched() {
    if (keepsRight()) {
      matched = new long[(table.size() >>> 6) + 1];
    }
  }

  @Override
  public RowBatch next() {
    if (!built) {
      build();
      if (rightEmpty && (type == JoinType.INNER || type == JoinType.SEMI)) {
        phase = Phase.END;
      }
    }
    ctx.checkInterrupt();
    ctx.eval.resetScratch();
    out.clear();
    while (!ctx.isFull(out, MAX_ROWS) && phase != Phase.END) {
      switch (phase) {
        case PROBE_INPUT, PROBE_FILE -> probe();
        case UNMATCHED_ENTRIES -> emitUnmatchedEntries();
        case NEXT_PARTITION -> nextPartition();
        case RIGHT_NULLS -> emitRightNulls();
        case END -> {
          // The loop's condition ends it.
        }
      }
    }
    return out.size == 0 ? null : out;
  }

  /** Takes probe rows until the output is full or the source is at its end. */
  private void probe() {
    while (!ctx.isFull(out, MAX_ROWS)) {
      if (!rowStarted) {
        if (probeRow == probeSize && !advance()) {
          phase =
              keepsRight() && rightPartitions == null ? Phase.UNMATCHED_ENTRIES : afterEntries();
          return;
        }
        if (!startRow()) {
          continue;
        }
      }
      if (continueRow()) {
        rowStarted = false;
        probeRow++;
      } else {
        return;
      }
    }
  }

  /** Gets the next probe batch; false at the end of the source. */
  private boolean advance() {
    if (phase == Phase.PROBE_INPUT) {
      // Output rows so far are copies; the input may reuse its batch.
      probe = left.next();
      probeRow = 0;
      probeSize = probe == null ? 0 : probe.size;
      return probe != null;
    }
    probeRow = 0;
    probeSize = 0;
    if (current.left == null || !current.left.read(fileRecord)) {
      return false;
    }
    fileRow.clear();
    int keyLength = ByteSink.getIntLe(fileRecord.array, 0);
    leftRows.read(fileRecord.array, 4 + keyLength, fileRow, 0, 0);
    fileRow.size = 1;
    probe = fileRow;
    probeSize = 1;
    return true;
  }

  /** Computes the row's key; false when the row needs no further processing. */
  private boolean startRow() {
    record.startKey();
    boolean isNull = leftKeys.write(probe, probeRow, record.sink);
    record.endKey();
    rowMatched = false;
    if (node.nullAware() && !rightEmpty && (rightHasNull || isNull)) {
      probeRow++;
      return false;
    }
    if (isNull) {
      candidate = -1;
      rowStarted = true;
      return true;
    }
    probeHash = record.hash();
    if (phase == Phase.PROBE_INPUT && leftPartitions != null) {
      leftRows.write(probe, probeRow, record.sink);
      leftPartitions.add(probeHash, record.array(), 0, record.length());
      probeRow++;
      return false;
    }
    candidate = table.find(probeHash, record.array(), 4, record.keyLength());
    rowStarted = true;
    return true;
  }

  /** Emits the row's matches; false when the output is full and matches may be left. */
  private boolean continueRow() {
    while (candidate >= 0) {
      if (ctx.isFull(out, MAX_ROWS)) {
        return false;
      }
      int entry = candidate;
      candidate = table.findNext(entry, probeHash, record.array(), 4, record.keyLength());
      if (!matches(entry)) {
        continue;
      }
      rowMatched = true;
      if (keepsRight()) {
        matched[entry >>> 6] |= 1L << entry;
      }
      if (!type.emitsRight()) {
        candidate = -1;
      }
    }
    if (ctx.isFull(out, MAX_ROWS)) {
      return false;
    }
    if (type == JoinType.SEMI ? rowMatched : type == JoinType.ANTI && !rowMatched) {
      Rows.copy(probe, probeRow, out, out.size++);
    } else if (keepsLeft() && !rowMatched) {
      Rows.copy(probe, probeRow, out, out.size);
      Rows.setNulls(out, out.size, leftColumns, rightColumns);
      out.size++;
    }
    return true;
  }

  /** Whether the pair passes the residual; if so, and the join emits pairs, it is in the output. */
  private boolean matches(int entry) {
    if (type.emitsRight()) {
      Rows.copy(probe, probeRow, out, out.size);
      rightRows.read(table.array(entry), table.payloadOffset(entry), out, out.size, leftColumns);
      if (node.residual() != null && !node.residual().test(ctx.eval, out, out.size)) {
        Rows.discard(out, out.size);
        return false;
      }
      out.size++;
      return true;
    }
    if (node.residual() == null) {
      return true;
    }
    pair.clear();
    Rows.copy(probe, probeRow, pair, 0);
    rightRows.read(table.array(entry), table.payloadOffset(entry), pair, 0, leftColumns);
    return node.residual().test(ctx.eval, pair, 0);
  }

  private Phase afterEntries() {
    return rightPartitions == null && current == null && pending.isEmpty()
        ? afterPartitions()
        : Phase.NEXT_PARTITION;
  }

  private Phase afterPartitions() {
    if (rightNulls == null) {
      return Phase.END;
    }
    nullReader = rightNulls.reader();
    return Phase.RIGHT_NULLS;
  }

  private void emitUnmatchedEntries() {
    while (unmatchedEntry < table.size() && !ctx.isFull(out, MAX_ROWS)) {
      int entry = unmatchedEntry++;
      if ((matched[entry >>> 6] & 1L << entry) == 0) {
        Rows.setNulls(out, out.size, 0, leftColumns);
        rightRows.read(table.array(entry), table.payloadOffset(entry), out, out.size, leftColumns);
        out.size++;
      }
    }
    if (unmatchedEntry == table.size()) {
      unmatchedEntry = 0;
      phase = afterEntries();
    }
  }

  private void emitRightNulls() {
    int first = out.size;
    nullReader.read(out, MAX_ROWS - first, leftColumns);
    for (int row = first; row < out.size; row++) {
      Rows.setNulls(out, row, 0, leftColumns);
    }
    if (nullReader.isAtEnd()) {
      phase = Phase.END;
    }
  }

  private void nextPartition() {
    if (rightPartitions != null) {
      queue(leftPartitions, rightPartitions, 1);
      leftPartitions = null;
      rightPartitions = null;
    }
    if (current != null) {
      current.close();
      current = null;
    }
    if (pending.isEmpty()) {
      table.clear();
      phase = afterPartitions();
      return;
    }
    current = pending.pop();
    if (load()) {
      if (current.left != null) {
        current.left.rewind();
      }
      probeRow = 0;
      probeSize = 0;
      phase = Phase.PROBE_FILE;
    }
  }

  private void queue(SpillPartitions lefts, SpillPartitions rights, int level) {
    if (ctx.instrumentation != null) {
      ctx.instrumentation.of(node).spilledBytes += lefts.bytes() + rights.bytes();
    }
    for (int i = 0; i < SpillPartitions.FAN_OUT; i++) {
      PartitionPair files = new PartitionPair(lefts.files[i], rights.files[i], level);
      if (files.left == null && (files.right == null || !keepsRight())) {
        files.close();
      } else {
        pending.push(files);
      }
    }
  }

  /** Reads the current partition's right side into the table; false when it was divided instead. */
  private boolean load() {
    table.clear();
    if (current.right != null) {
      current.right.rewind();
      while (current.right.read(fileRecord)) {
        long hash = KeyHash.of(fileRecord.array, 4, ByteSink.getIntLe(fileRecord.array, 0));
        table.add(hash, fileRecord.array, fileRecord.length);
        if (table.bytes() > ctx.workMemoryBytes() && current.level < SpillPartitions.MAX_LEVEL) {
          divide();
          return false;
        }
      }
    }
    clearMatched();
    return true;
  }

  private void divide() {
    int level = current.level;
    SpillPartitions lefts = new SpillPartitions(ctx, level);
    SpillPartitions rights = new SpillPartitions(ctx, level);
    try {
      table.clear();
      divide(current.right, rights);
      if (current.left != null) {
        divide(current.left, lefts);
      }
    } catch (RuntimeException e) {
      lefts.close();
      rights.close();
      throw e;
    }
    queue(lefts, rights, level + 1);
  }

  private void divide(SpillFile from, SpillPartitions to) {
    from.rewind();
    while (from.read(fileRecord)) {
      long hash = KeyHash.of(fileRecord.array, 4, ByteSink.getIntLe(fileRecord.array, 0));
      to.add(hash, fileRecord.array, 0, fileRecord.length);
    }
  }

  @Override
  public void close() {
    table.release();
    if (leftPartitions != null) {
      leftPartitions.close();
      leftPartitions = null;
    }
    if (rightPartitions != null) {
      rightPartitions.close();
      rightPartitions = null;
    }
    if (current != null) {
      current.close();
      current = null;
    }
    for (PartitionPair files : pending) {
      files.close();
    }
    pending.clear();
    unmatchedEntry = 0;
    if (rightNulls != null) {
      rightNulls.close();
    }
    if (matched.length > 1024) {
      matched = Arrays.copyOf(matched, 1);
    }
    left.close();
    right.close();
  }
}
