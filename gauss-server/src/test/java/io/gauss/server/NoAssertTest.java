package io.gauss.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

/**
 * Invariants are checked in production: no class of the product has an assert statement, which is
 * off there, or makes an AssertionError of its own, of which the process's handler is not told.
 */
@AnalyzeClasses(packages = "io.gauss", importOptions = WithoutTests.class)
class NoAssertTest {
  /** The compiler gives this field to every class that has an assert statement. */
  private static final String FIELD_OF_ASSERT = "$assertionsDisabled";

  /** The parser that JavaCC makes of Calcite's grammar and ours. */
  private static final String GENERATED = "io.gauss.compute.sql.parse.impl..";

  /** What it finds is for whoever runs it. */
  private static final String CHECKERS = "io.gauss.simulation..";

  @ArchTest
  static final ArchRule NO_ASSERT =
      noClasses()
          .that()
          .resideOutsideOfPackage(GENERATED)
          .should(haveAnAssertStatement())
          .because("it is switched off in production; use Invariant.check");

  @ArchTest
  static final ArchRule NO_ASSERTION_ERROR =
      noClasses()
          .that()
          .doNotHaveFullyQualifiedName("io.gauss.common.invariant.BrokenInvariant")
          .and()
          .resideOutsideOfPackages(GENERATED, CHECKERS)
          .should()
          .callConstructorWhere(
              JavaCall.Predicates.target(
                  HasOwner.Predicates.With.owner(JavaClass.Predicates.type(AssertionError.class))))
          .because("nobody is told of it; use Invariant.broken");

  @ArchTest
  static void anAssertStatementIsFound(JavaClasses product) {
    JavaClasses withOne = new ClassFileImporter().importClasses(WithAssert.class);
    assertThrows(AssertionError.class, () -> NO_ASSERT.check(withOne));
  }

  private static ArchCondition<JavaClass> haveAnAssertStatement() {
    return new ArchCondition<>("have an assert statement") {
      @Override
      public void check(JavaClass each, ConditionEvents events) {
        boolean has = each.tryGetField(FIELD_OF_ASSERT).isPresent();
        events.add(
            new SimpleConditionEvent(
                each, has, each.getName() + " has " + (has ? "" : "no ") + "assert"));
      }
    };
  }

  /** The rule's counter-example. */
  @SuppressWarnings("UnusedMethod") // the rule reads it, nobody calls it
  private static final class WithAssert {
    static int positive(int value) {
      assert value > 0;
      return value;
    }
  }
}
