package io.gauss.common.invariant;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test during which an invariant broke on any thread, even if the code there caught the
 * error. JUnit loads it automatically in every module that has this module's test-jar on its test
 * class path (services file and junit-platform.properties next to it). So no test refers to it,
 * except one that breaks an invariant on purpose: {@link #expectBroken}.
 *
 * <p>An invariant that breaks between two tests of a class fails the class. Thread-safe; tests that
 * run concurrently in one JVM would all fail.
 */
public final class InvariantsHold
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
  private static final ConcurrentLinkedQueue<BrokenInvariant> FOUND = new ConcurrentLinkedQueue<>();

  /** The part of a test that is expected to break an invariant. */
  @FunctionalInterface
  public interface Body {
    void run() throws Exception;
  }

  /** Runs when JUnit makes the extension, before any test of the JVM. */
  public InvariantsHold() {
    Invariant.install(FOUND::add);
  }

  /**
   * Runs code that breaks an invariant, on this thread or on others for which it waits.
   *
   * @return the first broken invariant; there may be more, none of which fails the test
   * @throws AssertionError if all invariants held
   */
  public static BrokenInvariant expectBroken(Body body) {
    List<BrokenInvariant> before = takeFound();
    try {
      body.run();
    } catch (BrokenInvariant e) {
      // Found below, as all are.
    } catch (Exception e) {
      throw new AssertionError("another failure than a broken invariant", e);
    }
    List<BrokenInvariant> found = takeFound();
    FOUND.addAll(before); // the test did not expect these
    if (found.isEmpty()) {
      throw new AssertionError("no invariant was broken");
    }
    return found.getFirst();
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    check("before class " + context.getDisplayName());
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    check("before " + context.getDisplayName());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    check("in the time of " + context.getDisplayName());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    check("after the last test of " + context.getDisplayName());
  }

  static void check(String when) {
    List<BrokenInvariant> found = takeFound();
    if (!found.isEmpty()) {
      AssertionError failure =
          new AssertionError(found.size() + " invariants broken " + when, found.getFirst());
      found.stream().skip(1).forEach(failure::addSuppressed);
      throw failure;
    }
  }

  private static List<BrokenInvariant> takeFound() {
    List<BrokenInvariant> found = new ArrayList<>();
    for (BrokenInvariant next; (next = FOUND.poll()) != null; ) {
      found.add(next);
    }
    return found;
  }
}
