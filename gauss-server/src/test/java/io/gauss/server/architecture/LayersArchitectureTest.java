package io.gauss.server.architecture;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.gauss.server.WithoutTests;
import io.gauss.server.architecture.example.above.Caller;
import io.gauss.server.architecture.example.below.Called;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Modules and packages use one another as {@link Layers} declares, and never in a circle. */
@AnalyzeClasses(packages = "io.gauss", importOptions = WithoutTests.class)
class LayersArchitectureTest {
  private static final String EXAMPLE = "io.gauss.server.architecture.example";

  private static final ArchRule NO_CYCLES =
      slices().assignedFrom(new EachPackage()).should().beFreeOfCycles();

  /** Two packages that use each other. */
  private static JavaClasses example() {
    return new ClassFileImporter().importClasses(Caller.class, Called.class);
  }

  private static Set<String> differences(String uses, String packages) {
    Layers.Module module = new Layers.Module("example", EXAMPLE, uses, packages);
    return new Layers(List.of(module)).differences(example());
  }

  @ArchTest
  static void packagesUseOneAnotherWithoutCycles(JavaClasses product) {
    EvaluationResult result = NO_CYCLES.evaluate(product);
    assertFalse(result.hasViolation(), () -> result.getFailureReport().toString());
  }

  @Test
  void cycleOfTwoPackagesIsFound() {
    assertTrue(NO_CYCLES.evaluate(example()).hasViolation());
  }

  @ArchTest
  static void usesAreThoseOfTheTable(JavaClasses product) {
    assertEquals(
        "", String.join("\n", Layers.PRODUCT.differences(product)), "to be mended, or declared");
  }

  @Test
  void eachModuleStandsOnThoseBeforeIt() {
    Set<String> before = new TreeSet<>();
    for (Layers.Module module : Layers.PRODUCT.modules()) {
      assertTrue(before.containsAll(module.usedModules()), module.name());
      before.add(module.name());
      Set<String> above = new TreeSet<>();
      for (String line : module.packages().lines().filter(line -> line.contains(":")).toList()) {
        String name = module.root() + "." + line.substring(0, line.indexOf(':'));
        assertTrue(above.containsAll(module.usedPackages().get(name)), name);
        above.add(name);
      }
    }
  }

  @ArchTest
  static void classesAreInTheModuleOfTheirPackage(JavaClasses product) {
    for (Layers.Module module : Layers.PRODUCT.modules()) {
      Set<String> packages = module.usedPackages().keySet();
      product.stream()
          .filter(type -> packages.contains(Layers.packageOf(type)))
          .forEach(
              type -> {
                String source = type.getSource().orElseThrow().getUri().toString();
                String name = "/" + module.name();
                assertTrue(source.contains(name + "/") || source.contains(name + "-"), source);
              });
    }
  }

  @Test
  void packageThatIsNotInTheTableIsFound() {
    assertEquals(Set.of("not in the table: " + EXAMPLE + ".below"), differences("", "above:"));
  }

  @Test
  void useThatIsNotDeclaredIsFound() {
    Set<String> found = differences("", "below:\nabove: below");
    assertEquals(1, found.size());
    assertTrue(
        found.iterator().next().startsWith(EXAMPLE + ".below uses " + EXAMPLE + ".above: "),
        found::toString);
  }

  @Test
  void declaredUseThatDoesNotExistIsFound() {
    assertEquals(
        Set.of(
            "example is declared to use other and does not",
            "nothing is in " + EXAMPLE + ".gone",
            EXAMPLE + ".below is declared to use " + EXAMPLE + ".gone and does not"),
        differences("other", "gone:\nbelow: above gone\nabove: below"));
  }

  @Test
  void useOfAModuleThatIsNotDeclaredIsFound() {
    Layers.Module below = new Layers.Module("lower", EXAMPLE, "upper", "below:");
    Layers.Module above = new Layers.Module("upper", EXAMPLE, "", "above:");
    Set<String> found = new Layers(List.of(below, above)).differences(example());
    assertEquals(1, found.size());
    assertTrue(found.iterator().next().startsWith("upper uses lower: "), found::toString);
  }

  /** A slice for each package of ours. */
  private static final class EachPackage implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      String name = Layers.packageOf(type);
      return name.startsWith("io.gauss.") ? SliceIdentifier.of(name) : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "each package";
    }
  }
}
