package io.gauss.simulation.storage;

/** The same with refusals, lost leads, and answers that are late or never come. */
class UnkindLogSourceContract extends SimulatedLogSourceContract {
  @Override
  protected LogFaults faults() {
    return LogFaults.some();
  }
}
