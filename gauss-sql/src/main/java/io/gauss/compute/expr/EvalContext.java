package io.gauss.compute.expr;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.Value;
import java.security.SecureRandom;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * The context of evaluation besides the row: parameters, statement time, session settings, scratch
 * space. One per running plan (or session), used by one thread at a time.
 *
 * <p>Temporaries come from a stack: an expression node takes temporaries with {@link #acquire} and
 * returns them with {@link #release} in the opposite order. Byte results come from {@link
 * #allocate}, which only ever moves forward until {@link #resetScratch}: the owner of the row batch
 * calls that between batches, when no byte range handed out is in use any more. An exception leaves
 * the stack as it is: call {@link #reset} before the context is used again.
 */
public final class EvalContext implements TypeContext {
  /** Seeds of contexts: different in every process, and far apart within one. */
  private static final AtomicLong SEEDS = new AtomicLong(new SecureRandom().nextLong());

  private static final long SEED_STEP = 0xD1342543DE82EF95L;
  private static final int KEPT_REGEXES = 32;
  private static final int INITIAL_SCRATCH = 1024;
  private static final int LARGEST_KEPT_SCRATCH = 1 << 20;

  /** Whatever is done with values longer than this takes milliseconds. */
  private static final int LONG_VALUE = 1 << 20;

  private static final int LARGEST_TEMPLATE = 1 << 20;

  /** Longer expressions take long to compile, and much memory when they are kept. */
  private static final int LONG_REGEX = 4 << 10;

  public static final int LARGEST_VALUE = ByteSink.LARGEST_VALUE;

  /** Bound parameters, {@code $1} at 0. */
  public Value[] parameters = new Value[0];

  /** Transaction start, µs since 2000-01-01 UTC: {@code now()}. */
  public long transactionTimestamp;

  public long statementTimestamp;
  public ZoneId timeZone = java.time.ZoneOffset.UTC;

  /** extra_float_digits. */
  int extraFloatDigits = 1;

  /** bytea_output = hex. */
  boolean byteaHex = true;

  /**
   * Called repeatedly by a function that takes long; throws when the function has to stop. Does
   * nothing outside a session.
   */
  public Runnable longWork = () -> {};

  /** Wall clock for {@code clock_timestamp()}, µs since 2000-01-01 UTC. */
  public LongSupplier clock = () -> statementTimestamp;

  /** Source of {@code random()} and {@code gen_random_uuid()}. */
  public RandomGenerator random = new SplittableRandom(SEEDS.getAndAdd(SEED_STEP));

  public SessionInfo session = SessionInfo.NONE;
  public SequenceAccess sequences = SequenceAccess.NONE;
  public AdvisoryAccess advisory = AdvisoryAccess.NONE;
  public NotifyAccess notify = NotifyAccess.NONE;

  /** Operands of the operator that ANY or ALL is currently applying; see {@link Membership}. */
  Value leftSlot;

  Value rightSlot;

  /** What {@link DomainExpr} is looking at. */
  Value domainValue;

  private Value[] stack = newValues(new Value[16], 0);
  private int top;
  private byte[] scratch = new byte[INITIAL_SCRATCH];
  private int scratchUsed;
  private ByteSink text = new ByteSink(64, LARGEST_VALUE);
  private final Map<String, Pattern> regexes =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Pattern> eldest) {
          return size() > KEPT_REGEXES;
        }
      };

  private static Value[] newValues(Value[] values, int from) {
    for (int i = from; i < values.length; i++) {
      values[i] = new Value();
    }
    return values;
  }

  /** Takes a temporary; its content is undefined. */
  public Value acquire() {
    if (top == stack.length) {
      stack = newValues(Arrays.copyOf(stack, top * 2), top);
    }
    return stack[top++];
  }

  /** Returns the temporary taken last. */
  public void release() {
    top--;
  }

  public void release(int count) {
    top -= count;
  }

  /** Prepares the context for another run, also after an exception. */
  public void reset() {
    top = 0;
    resetScratch();
  }

  /** Invalidates all byte ranges handed out. */
  public void resetScratch() {
    scratchUsed = 0;
    if (scratch.length > LARGEST_KEPT_SCRATCH) {
      scratch = new byte[INITIAL_SCRATCH];
    }
    if (text.array.length > LARGEST_KEPT_SCRATCH) {
      text = new ByteSink(64, LARGEST_VALUE);
    }
  }

  /**
   * Reserves {@code length} bytes of {@link #scratch()}, which the caller reads right after this
   * call, and returns where they start. An array returned earlier stays valid when a new one
   * replaces it.
   *
   * @throws GaussException 54000 when the length exceeds the limit for values
   */
  public int allocate(int length) {
    checkLength(length);
    if (length > LONG_VALUE) {
      longWork.run();
    }
    if (scratch.length - scratchUsed < length) {
      scratch = new byte[Math.max(length, Math.min(scratch.length * 2, LARGEST_KEPT_SCRATCH))];
      scratchUsed = 0;
    }
    int start = scratchUsed;
    scratchUsed += length;
    return start;
  }

  /**
   * Rejects values that are too long before memory is allocated for them.
   *
   * @throws GaussException 54000
   */
  public static void checkLength(long bytes) {
    if (bytes < 0 || bytes > LARGEST_VALUE) {
      throw new GaussException(SqlState.PROGRAM_LIMIT_EXCEEDED, "requested length too large");
    }
  }

  /**
   * Rejects templates of to_char and its like whose parts would take a hundred times their room.
   *
   * @throws GaussException 54000
   */
  public static void checkTemplate(String template) {
    if (template.length() > LARGEST_TEMPLATE) {
      throw new GaussException(SqlState.PROGRAM_LIMIT_EXCEEDED, "requested length too large");
    }
  }

  /** The array that the last {@link #allocate} reserved bytes of. */
  public byte[] scratch() {
    return scratch;
  }

  /**
   * An empty sink for building one result; valid until the next call. Copy with {@link #copyTo}.
   */
  public ByteSink textSink() {
    text.clear();
    return text;
  }

  /** Copies the sink's content into scratch and makes it the value. */
  public void copyTo(ByteSink from, Value out) {
    copyTo(from.array, 0, from.length, out);
  }

  public void copyTo(byte[] from, int offset, int length, Value out) {
    int start = allocate(length);
    System.arraycopy(from, offset, scratch, start, length);
    out.setBytes(scratch, start, length);
  }

  /**
   * The compiled regular expression; the last few are cached, since a query uses the same one
   * repeatedly.
   */
  public Pattern regex(String regex, String options) {
    if (regex.length() > LONG_REGEX) {
      longWork.run();
      return RegexTranslator.compile(regex, options);
    }
    return regexes.computeIfAbsent(
        options + "/" + regex, k -> RegexTranslator.compile(regex, options));
  }

  @Override
  public ZoneId timeZone() {
    return timeZone;
  }

  @Override
  public long now() {
    return transactionTimestamp;
  }

  @Override
  public int extraFloatDigits() {
    return extraFloatDigits;
  }

  @Override
  public boolean byteaHex() {
    return byteaHex;
  }

  @Override
  public int relationOid(String text) {
    return session.relationOid(text);
  }

  @Override
  public String relationName(int oid) {
    return session.relationName(oid);
  }

  @Override
  public int schemaOid(String name) {
    return session.schemaOid(name);
  }

  @Override
  public String schemaName(int oid) {
    return session.schemaName(oid);
  }

  @Override
  public int typeOid(String schema, String name, boolean array) {
    return session.typeOid(schema, name, array);
  }

  @Override
  public String typeName(int oid) {
    return session.typeName(oid);
  }

  @Override
  public int roleOid(String name) {
    return session.roleOid(name);
  }

  @Override
  public String roleName(int oid) {
    return session.roleName(oid);
  }
}
