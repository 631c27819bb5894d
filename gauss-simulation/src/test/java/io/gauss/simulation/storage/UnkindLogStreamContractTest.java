package io.gauss.simulation.storage;

/** The same with refusals, lost leads, and answers that are late or never come. */
class UnkindLogStreamContractTest extends SimulatedLogStreamContractTest {
  @Override
  protected LogFaults faults() {
    return LogFaults.some();
  }
}
