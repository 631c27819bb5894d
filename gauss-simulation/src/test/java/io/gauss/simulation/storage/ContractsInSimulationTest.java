package io.gauss.simulation.storage;

import io.gauss.simulation.Simulation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The contracts in simulated time, with the order of threads drawn from seeds. Whoever stands in
 * for Ratis is nowhere else; {@link SimulatedStorageNodeTest} has it on threads of the JVM.
 */
@Isolated
class ContractsInSimulationTest {
  private static final int SEEDS = Integer.getInteger("gauss.seeds", 10);

  @TestFactory
  Stream<DynamicTest> groups() {
    return inSimulation(SimulatedGroupHostContract.class);
  }

  @TestFactory
  Stream<DynamicTest> maps() {
    return inSimulation(SimulatedMapGroupContract.class);
  }

  @TestFactory
  Stream<DynamicTest> writers() {
    return inSimulation(SimulatedLogStreamContract.class);
  }

  @TestFactory
  Stream<DynamicTest> unkindlyTreatedWriters() {
    return inSimulation(UnkindLogStreamContract.class);
  }

  @TestFactory
  Stream<DynamicTest> followers() {
    return inSimulation(SimulatedLogSourceContract.class);
  }

  @TestFactory
  Stream<DynamicTest> unkindlyTreatedFollowers() {
    return inSimulation(UnkindLogSourceContract.class);
  }

  @TestFactory
  Stream<DynamicTest> keysAndValues() {
    return inSimulation(SimulatedPagesTest.class);
  }

  private static Stream<DynamicTest> inSimulation(Class<?> contract) {
    return annotated(contract, Test.class).stream()
        .map(test -> DynamicTest.dynamicTest(test.getName(), () -> seeds(contract, test)));
  }

  private static void seeds(Class<?> contract, Method test) {
    long first = Long.getLong("gauss.seed", 1);
    for (long seed = first; seed < first + SEEDS; seed++) {
      new Simulation(seed).run(() -> play(contract, test));
    }
  }

  private static void play(Class<?> contract, Method test) throws Exception {
    var constructor = contract.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object instance = constructor.newInstance();
    invoke(instance, annotated(contract, BeforeEach.class).reversed());
    invoke(instance, List.of(test));
    invoke(instance, annotated(contract, AfterEach.class));
  }

  private static void invoke(Object instance, List<Method> methods) throws Exception {
    for (Method method : methods) {
      try {
        method.invoke(instance);
      } catch (InvocationTargetException e) {
        throw new AssertionError(method.getName(), e.getCause());
      }
    }
  }

  /** Methods of a class and those above it, the lowest class first. */
  private static List<Method> annotated(
      Class<?> of, Class<? extends java.lang.annotation.Annotation> by) {
    List<Method> methods = new ArrayList<>();
    for (Class<?> at = of; at != Object.class; at = at.getSuperclass()) {
      Stream.of(at.getDeclaredMethods())
          .filter((AnnotatedElement method) -> method.isAnnotationPresent(by))
          .sorted(Comparator.comparing(Method::getName))
          .forEach(methods::add);
    }
    methods.forEach(method -> method.setAccessible(true));
    return methods;
  }
}
