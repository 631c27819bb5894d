package io.gauss.storage.map;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import io.gauss.common.explore.Mixing;
import io.gauss.storage.map.SliceMoveState.Offsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A page store with one offset in each stream for all of its slices, to which a slice comes. It has
 * slice 0 and gets slice 1; each is one page, and two streams carry the pages' records. Checkpoints
 * have two steps, between which all else goes on, and the process may end at any time.
 *
 * <p>Forbidden is a slice that is whole and lacks a record below the offsets: those in memory, by
 * which reads are answered, or those on disk, where a start continues.
 */
final class SliceArrivalModel implements Exploration.Model<SliceArrivalModel.State> {
  /** Rules that can be left out, to show that they are needed. */
  enum Rule {
    /** An image is from where the store began to take the slice's records, or from later. */
    IMAGE_NOT_BELOW_TAKEN,
    /** A slice is whole on disk with a checkpoint, which has its pages, and not before. */
    WHOLE_AFTER_PAGES,
    /** A checkpoint's slices are those that were whole when its offsets were read. */
    SLICES_OF_THE_OFFSETS
  }

  private static final int STREAMS = 2;

  /** A record: its stream, and the slice of its page. */
  record Redo(int stream, int slice) {}

  /**
   * What the store has of a slice.
   *
   * @param disk number of the last record in the page on disk
   * @param base number of the last record in the page that is folded in memory
   * @param from the offsets from which on its records were taken
   */
  record Slice(int disk, int base, Offsets from) {}

  /** How much of the slice that comes is there, in memory or on disk. */
  enum Coming {
    NOTHING,
    /** Its records are taken; no image is there. */
    TAKING,
    WHOLE
  }

  /**
   * A state.
   *
   * @param records in their order, which is also that of the records of each page
   * @param taken through which offsets the streams were read
   * @param offsets those of the last checkpoint
   * @param memory how much of slice 1 is there
   * @param disk the same after the end of the process
   * @param begun offsets of a checkpoint under way; null = none
   * @param begunWhole whether slice 1 was whole when it began
   */
  record State(
      List<Redo> records,
      Offsets taken,
      Offsets offsets,
      Slice first,
      Slice second,
      Coming memory,
      Coming disk,
      Offsets begun,
      boolean begunWhole,
      int writesLeft,
      int crashesLeft) {
    @Override
    public int hashCode() {
      Mixing mixing = new Mixing();
      records.forEach(record -> mixing.add(record.stream()).add(record.slice()));
      mix(mixing, taken);
      mix(mixing, offsets);
      mix(mixing, first.from());
      mix(mixing, second.from());
      mix(mixing, begun == null ? Offsets.NONE : begun);
      mixing.add(first.disk()).add(first.base()).add(second.disk()).add(second.base());
      mixing.add(memory.ordinal()).add(disk.ordinal()).add(begunWhole);
      return mixing.add(writesLeft).add(crashesLeft).hash();
    }

    private static void mix(Mixing mixing, Offsets offsets) {
      mixing.add(offsets.first()).add(offsets.second());
    }

    int end(int stream) {
      return (int) records.stream().filter(record -> record.stream() == stream).count();
    }

    boolean isWhole(int slice) {
      return slice == 0 || memory == Coming.WHOLE;
    }

    Slice slice(int slice) {
      return slice == 0 ? first : second;
    }

    /** Number of the slice's last record below the offsets; 0 = there is none. */
    int lastBelow(int slice, Offsets below) {
      int last = 0;
      int number = 0;
      Offsets at = Offsets.ZERO;
      for (Redo record : records) {
        number += record.slice() == slice ? 1 : 0;
        int offset = at.of(record.stream());
        if (record.slice() == slice && offset < below.of(record.stream())) {
          last = number;
        }
        at = at.with(record.stream(), offset + 1);
      }
      return last;
    }

    /** The slice's page with all records that were taken and join. */
    int readable(int slice) {
      Slice of = slice(slice);
      int page = of.base();
      int number = 0;
      Offsets at = Offsets.ZERO;
      for (Redo record : records) {
        int offset = at.of(record.stream());
        if (record.slice() == slice) {
          number++;
          boolean has =
              offset >= of.from().of(record.stream()) && offset < taken.of(record.stream());
          page = has && number == page + 1 ? number : page;
        }
        at = at.with(record.stream(), offset + 1);
      }
      return page;
    }

    /** Below the first record of a whole slice that was taken and does not join. */
    Offsets applied() {
      Offsets applied = taken;
      int[] number = {0, 0};
      Offsets at = Offsets.ZERO;
      for (Redo record : records) {
        int stream = record.stream();
        int offset = at.of(stream);
        number[record.slice()]++;
        if (isWhole(record.slice())
            && offset >= slice(record.slice()).from().of(stream)
            && offset < applied.of(stream)
            && number[record.slice()] > readable(record.slice())) {
          applied = applied.with(stream, offset);
        }
        at = at.with(stream, offset + 1);
      }
      return applied;
    }
  }

  private final Set<Rule> rules;
  private final int writes;
  private final int crashes;

  private SliceArrivalModel(Set<Rule> rules, int writes, int crashes) {
    this.rules = rules;
    this.writes = writes;
    this.crashes = crashes;
  }

  static SliceArrivalModel withAllRules(int writes, int crashes) {
    return new SliceArrivalModel(EnumSet.allOf(Rule.class), writes, crashes);
  }

  static SliceArrivalModel without(Rule rule, int writes, int crashes) {
    return new SliceArrivalModel(EnumSet.complementOf(EnumSet.of(rule)), writes, crashes);
  }

  private boolean on(Rule rule) {
    return rules.contains(rule);
  }

  @Override
  public State initial() {
    return new State(
        List.of(),
        Offsets.ZERO,
        Offsets.ZERO,
        new Slice(0, 0, Offsets.ZERO),
        new Slice(0, 0, Offsets.ZERO),
        Coming.NOTHING,
        Coming.NOTHING,
        null,
        false,
        writes,
        crashes);
  }

  @Override
  public String violation(State state) {
    Offsets applied = state.applied();
    for (int slice = 0; slice < 2; slice++) {
      if (state.isWhole(slice) && state.lastBelow(slice, applied) > state.readable(slice)) {
        return "a read of slice " + slice + " lacks a record";
      }
      boolean onDisk = slice == 0 || state.disk() == Coming.WHOLE;
      if (onDisk && state.lastBelow(slice, state.offsets()) > state.slice(slice).disk()) {
        return "slice " + slice + " on disk lacks a record";
      }
    }
    return null;
  }

  @Override
  public void steps(State state, Steps<State> steps) {
    for (int s = 0; s < STREAMS; s++) {
      int stream = s;
      for (int p = 0; p < 2; p++) {
        int slice = p;
        steps.addIf(
            state.writesLeft() > 0,
            "stream " + stream + " gets a record of slice " + slice,
            () -> written(state, new Redo(stream, slice)));
      }
      int taken = state.taken().of(stream);
      steps.addIf(
          taken < state.end(stream),
          "the store takes a record of stream " + stream,
          () -> with(state, state.taken().with(stream, taken + 1)));
    }
    steps.addIf(
        state.memory() == Coming.NOTHING,
        "from now on records of slice 1 are taken",
        () -> taking(state));
    images(state, steps);
    steps.addIf(
        state.begun() == null,
        "a checkpoint reads the offsets",
        () -> beginning(state, state.applied()));
    steps.addIf(state.begun() != null, "the checkpoint is durable", () -> checkpointed(state));
    steps.addIf(
        state.crashesLeft() > 0, "the process ends and starts again", () -> restarted(state));
  }

  /**
   * Images of another store that are complete through any offsets, without a page that is newer and
   * with one.
   */
  private void images(State state, Steps<State> steps) {
    if (state.memory() != Coming.TAKING) {
      return;
    }
    Offsets from = on(Rule.IMAGE_NOT_BELOW_TAKEN) ? state.second().from() : Offsets.ZERO;
    for (int first = from.first(); first <= state.end(0); first++) {
      for (int second = from.second(); second <= state.end(1); second++) {
        Offsets through = new Offsets(first, second);
        int page = state.lastBelow(1, through);
        int newest = state.lastBelow(1, new Offsets(state.end(0), state.end(1)));
        for (int p : page == newest ? List.of(page) : List.of(page, newest)) {
          steps.add("an image as of " + through + " has record " + p, () -> whole(state, p));
        }
      }
    }
  }

  private static State written(State state, Redo record) {
    List<Redo> records = new ArrayList<>(state.records());
    records.add(record);
    return new State(
        List.copyOf(records),
        state.taken(),
        state.offsets(),
        state.first(),
        state.second(),
        state.memory(),
        state.disk(),
        state.begun(),
        state.begunWhole(),
        state.writesLeft() - 1,
        state.crashesLeft());
  }

  private static State with(State state, Offsets taken) {
    return with(state, taken, state.second(), state.memory(), state.disk());
  }

  private static State with(State state, Offsets taken, Slice second, Coming memory, Coming disk) {
    return new State(
        state.records(),
        taken,
        state.offsets(),
        state.first(),
        second,
        memory,
        disk,
        state.begun(),
        state.begunWhole(),
        state.writesLeft(),
        state.crashesLeft());
  }

  private static State taking(State state) {
    Slice second = new Slice(state.second().disk(), 0, state.taken());
    return with(state, state.taken(), second, Coming.TAKING, state.disk());
  }

  private State whole(State state, int page) {
    int base = Math.max(page, state.second().disk());
    Slice second = new Slice(state.second().disk(), base, state.second().from());
    Coming disk = on(Rule.WHOLE_AFTER_PAGES) ? state.disk() : Coming.WHOLE;
    return with(state, state.taken(), second, Coming.WHOLE, disk);
  }

  private static State beginning(State state, Offsets applied) {
    return new State(
        state.records(),
        state.taken(),
        state.offsets(),
        state.first(),
        state.second(),
        state.memory(),
        state.disk(),
        applied,
        state.memory() == Coming.WHOLE,
        state.writesLeft(),
        state.crashesLeft());
  }

  private State checkpointed(State state) {
    boolean whole =
        on(Rule.SLICES_OF_THE_OFFSETS) ? state.begunWhole() : state.memory() == Coming.WHOLE;
    return new State(
        state.records(),
        state.taken(),
        state.begun(),
        folded(state, 0),
        whole ? folded(state, 1) : state.second(),
        state.memory(),
        whole ? Coming.WHOLE : Coming.NOTHING,
        null,
        false,
        state.writesLeft(),
        state.crashesLeft());
  }

  private static Slice folded(State state, int slice) {
    int page = state.readable(slice);
    return new Slice(page, page, state.slice(slice).from());
  }

  private static State restarted(State state) {
    return new State(
        state.records(),
        state.offsets(),
        state.offsets(),
        new Slice(state.first().disk(), state.first().disk(), state.offsets()),
        new Slice(state.second().disk(), state.second().disk(), state.offsets()),
        state.disk(),
        state.disk(),
        null,
        false,
        state.writesLeft(),
        state.crashesLeft() - 1);
  }
}
