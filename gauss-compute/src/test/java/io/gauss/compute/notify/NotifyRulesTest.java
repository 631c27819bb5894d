package io.gauss.compute.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Found;
import io.gauss.compute.notify.NotifyModel.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who has listened misses nothing, in all orders, and would without any one of the rules. */
class NotifyRulesTest {
  private static final int MAX_STATES = 1_000_000;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoHasListenedSeesATransactionOrIsToldOfIt(boolean returns) {
    Found found = Exploration.explore(NotifyModel.withAllRules(returns), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  @ParameterizedTest
  @EnumSource
  void eachRuleIsNeeded(Rule rule) {
    boolean returns = rule == Rule.WHO_STARTS_ASKS;
    Found found = Exploration.explore(NotifyModel.without(rule, returns), MAX_STATES);
    assertFalse(found.isSafe(), rule + " was left out, and nothing went wrong");
  }

  @Test
  void theOrderOfArrivalKeepsWhatCauseAndEffectHave() {
    Found found = Exploration.explore(new NotifyOrderModel(true), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  @Test
  void inTheOrderOfDecisionsAnEffectOvertakesItsCause() {
    Found found = Exploration.explore(new NotifyOrderModel(false), MAX_STATES);
    assertFalse(found.isSafe());
  }
}
