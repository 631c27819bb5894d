package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * In the packages of nodes, which put everything else together, no constructor hands {@code this}
 * to others: neither as an argument nor in a lambda. Whoever got it could use an object that is not
 * complete, on another thread at that. javac's lint of that name does not look at final classes.
 */
class ThisEscapeTest {
  private static final String[] PACKAGES = {
    "io.gauss.compute.node", "io.gauss.memory.node", "io.gauss.storage.node"
  };

  /**
   * Where it does happen: an object and the one that calls it back, which does so only after a
   * further step ({@code start}, {@code join}). The list only gets shorter.
   */
  private static final Set<String> ESCAPES = Set.of("BucketServer", "MapReplica", "Membership");

  private static ClassModel parse(JavaClass type) throws IOException {
    String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
    try (InputStream bytes = type.reflect().getResourceAsStream(file)) {
      return ClassFile.of().parse(bytes.readAllBytes());
    }
  }

  /** Whether a constructor passes something on that can only be the object itself. */
  private static boolean escapes(ClassModel type) {
    Set<ClassDesc> own = new HashSet<>();
    own.add(type.thisClass().asSymbol());
    type.interfaces().forEach(each -> own.add(each.asSymbol()));
    return type.methods().stream()
        .filter(method -> method.methodName().equalsString(ConstantDescs.INIT_NAME))
        .anyMatch(constructor -> passesOn(constructor, own));
  }

  private static boolean passesOn(MethodModel constructor, Set<ClassDesc> own) {
    // What it was given itself it may pass on.
    Set<ClassDesc> suspect = new HashSet<>(own);
    suspect.removeAll(constructor.methodTypeSymbol().parameterList());
    for (CodeElement element : constructor.code().orElseThrow()) {
      MethodTypeDesc passed =
          switch (element) {
            case InvokeDynamicInstruction lambda -> lambda.typeSymbol();
            case InvokeInstruction call -> call.typeSymbol();
            default -> null;
          };
      if (passed != null && !Collections.disjoint(passed.parameterList(), suspect)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void constructorsOfNodesKeepThisToThemselves() throws IOException {
    JavaClasses classes =
        new ClassFileImporter().withImportOption(new WithoutTests()).importPackages(PACKAGES);
    Set<String> found = new TreeSet<>();
    for (JavaClass type : classes) {
      if (!type.isInterface() && escapes(parse(type))) {
        found.add(type.getSimpleName());
      }
    }
    assertEquals(
        new TreeSet<>(ESCAPES),
        found,
        "make the object first, and let what needs it be given it; or it has left the list");
  }

  private static final class Escaping {
    final Runnable task = this::run;

    private void run() {}
  }

  @Test
  void anEscapeIsFound() throws IOException {
    JavaClass escaping = new ClassFileImporter().importClass(Escaping.class);
    assertTrue(escapes(parse(escaping)));
    assertTrue(new Escaping().task != null);
  }
}
