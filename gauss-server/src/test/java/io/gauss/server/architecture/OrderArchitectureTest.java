package io.gauss.server.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.gauss.server.WithoutTests;
import java.util.Optional;
import java.util.Set;

/**
 * No field is a set or map whose order depends on identity hash codes: these differ from run to
 * run, and with them what is done to the elements one after the other. Objects without a hash code
 * of their own are kept in an {@code ArrivalSet}, enums in an {@code EnumMap}, or either in a
 * linked collection.
 *
 * <p>Nor is anything kept in the JDK's unmodifiable sets and maps, whose order differs from JVM to
 * JVM, except for constants in which something is looked up: {@code InOrder} copies the others.
 *
 * <p>Local variables are not looked at: {@code ./gauss simulate --twice} and {@code SeedsTest} find
 * these.
 */
@AnalyzeClasses(packages = "io.gauss", importOptions = WithoutTests.class)
class OrderArchitectureTest {
  private static final String[] SIMULATED = {
    "io.gauss.common..",
    "io.gauss.storage..",
    "io.gauss.memory..",
    "io.gauss.compute..",
    "io.gauss.simulation.."
  };

  private static final Set<String> HASHED =
      Set.of(
          "java.util.HashMap",
          "java.util.HashSet",
          "java.util.IdentityHashMap",
          "java.util.WeakHashMap",
          "java.util.concurrent.ConcurrentHashMap");

  private static final Set<String> COLLECTIONS =
      Set.of("java.util.Map", "java.util.Set", "java.util.concurrent.ConcurrentMap");

  /**
   * Fields whose elements are looked up and never iterated, or in whatever order; those of enums
   * are {@code EnumMap}s and {@code EnumSet}s beside other collections that are hashed.
   */
  private static final Set<String> ORDER_DOES_NOT_MATTER =
      Set.of(
          "AccessSampling.closed",
          "AccessSampling.sessions",
          "ArrivalSet.numbers",
          "Asking.counts",
          "BindContext.requirements",
          "Clients.ABORTED",
          "CoherentPages.gets",
          "CountersWork.NOTHING_DONE",
          "ExecContext.workTables",
          "HistoryChecker.numbers",
          "InitialQueries.commonTables",
          "Instrumentation.counters",
          "LinkMeters.failures",
          "OutcomesWork.NOTHING_DONE",
          "OwnerCount.counts",
          "Planning.spools",
          "RaftHost.STARTING",
          "SessionMetrics.failures",
          "SessionSettings.startValues",
          "SessionSettings.values");

  @ArchTest
  static final ArchRule NO_ORDER_OF_THE_JVM =
      noClasses()
          .that()
          .resideInAnyPackage(SIMULATED)
          .and()
          .resideOutsideOfPackages("io.gauss.storage.local..") // a simulation replaces it
          .should()
          .accessTargetWhere(describe("its order is the JVM's", KeepOrder::isOrderOfTheJvm))
          .because("a simulation has to repeat what a seed did");

  @ArchTest
  static final ArchRule NO_ORDER_OF_IDENTITIES =
      classes()
          .that()
          .resideInAnyPackage(SIMULATED)
          .should(new KeepOrder())
          .because("a simulation has to repeat what a seed did");

  private static final class KeepOrder extends ArchCondition<JavaClass> {
    KeepOrder() {
      super("not hash by identity what it keeps");
    }

    /** Constants are for looking up; what has a single element has no order. */
    private static boolean isOrderOfTheJvm(JavaAccess<?> access) {
      if (access.getOrigin().getName().equals("<clinit>")
          || !(access.getTarget() instanceof AccessTarget.CodeUnitAccessTarget target)) {
        return false;
      }
      int parameters = target.getRawParameterTypes().size();
      String name = target.getName();
      return switch (target.getOwner().getName()) {
        case "java.util.Set" -> name.equals("copyOf") || (name.equals("of") && parameters > 1);
        case "java.util.Map" ->
            name.equals("copyOf")
                || name.equals("ofEntries")
                || (name.equals("of") && parameters > 2);
        case "java.util.stream.Collectors" ->
            name.equals("toUnmodifiableSet") || name.equals("toUnmodifiableMap");
        default -> false;
      };
    }

    @Override
    public void check(JavaClass of, ConditionEvents events) {
      for (JavaField field : of.getFields()) {
        String name = of.getSimpleName() + "." + field.getName();
        if (isHashed(of, field)
            && key(field).filter(OrderArchitectureTest::isHashedByIdentity).isPresent()
            && !ORDER_DOES_NOT_MATTER.contains(name)) {
          events.add(SimpleConditionEvent.violated(of, name + " of " + of.getName()));
        }
      }
    }
  }

  /** Whether the field's collection may be a hashed one, as far as its class shows. */
  private static boolean isHashed(JavaClass of, JavaField field) {
    String type = field.getRawType().getName();
    return HASHED.contains(type) || (COLLECTIONS.contains(type) && makesHashed(of));
  }

  private static boolean makesHashed(JavaClass of) {
    return of.getConstructorCallsFromSelf().stream()
            .anyMatch(call -> HASHED.contains(call.getTargetOwner().getName()))
        || of.getMethodCallsFromSelf().stream()
            .anyMatch(call -> call.getTarget().getName().equals("newKeySet"));
  }

  private static Optional<JavaClass> key(JavaField field) {
    JavaType type = field.getType();
    return type instanceof JavaParameterizedType parameterized
        ? Optional.of(parameterized.getActualTypeArguments().getFirst().toErasure())
        : Optional.empty();
  }

  private static boolean isHashedByIdentity(JavaClass type) {
    if (type.isEnum() || type.isArray()) {
      return true;
    }
    if (type.isInterface() || type.isPrimitive()) {
      return false; // whatever implements it
    }
    if (type.isRecord()) {
      return !hasOwnHashCode(type)
          && type.getFields().stream()
              .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
              .anyMatch(field -> isHashedByIdentity(field.getRawType()));
    }
    for (JavaClass at = type;
        !at.getName().equals(Object.class.getName());
        at = at.getRawSuperclass().orElseThrow()) {
      if (at.tryGetMethod("hashCode").isPresent()) {
        return false;
      }
    }
    return true;
  }

  /** The one that the compiler makes for a record calls nothing that is seen here. */
  private static boolean hasOwnHashCode(JavaClass type) {
    return type.tryGetMethod("hashCode")
        .map(JavaMethod::getMethodCallsFromSelf)
        .filter(calls -> !calls.isEmpty())
        .isPresent();
  }
}
