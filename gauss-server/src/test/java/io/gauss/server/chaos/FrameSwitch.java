package io.gauss.server.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/**
 * The network between machines, in this process: a switch to which each is plugged by a {@link
 * TapDevice}, with lines that take time, lose frames, are narrow, or are cut, each direction by
 * itself. The system's own ways for that ({@code tc netem}) are not part of each kernel.
 *
 * <p>Frames of a line arrive in their order. Thread-safe.
 */
final class FrameSwitch {
  private static final int ADDRESS_BYTES = 6;
  private static final int HEADER_BYTES = 14;
  private static final int BITS = 8;
  private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  /** What waits longer for a narrow line is lost, as in the queues of real ones. */
  private static final long LONGEST_QUEUE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final List<Plug> plugs = new CopyOnWriteArrayList<>();
  private final Map<Long, Plug> addresses = new ConcurrentHashMap<>();
  private final Set<String> cut = ConcurrentHashMap.newKeySet();
  private volatile Line line = new Line(0, 0, 0, Long.MAX_VALUE);

  /**
   * How all lines are.
   *
   * @param lossPerMillion of the frames
   */
  private record Line(long leastNanos, long mostNanos, int lossPerMillion, long bytesPerSecond) {}

  /** A frame on its way. */
  private record Frame(byte[] bytes, long due, long number) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      Frame one = (Frame) other;
      int byTime = Long.compare(due - one.due, 0);
      return byTime != 0 ? byTime : Long.compare(number, one.number);
    }
  }

  /** Where a machine is plugged in. */
  private final class Plug {
    private final int machine;
    private final TapDevice device;
    private final SplittableRandom random;
    private final DelayQueue<Frame> arriving = new DelayQueue<>();
    private final Map<Plug, Long> lastDue = new ConcurrentHashMap<>(); // of frames to others
    private long count; // under the lock
    private long free = System.nanoTime(); // when the line to the machine is; under the lock

    Plug(int machine, TapDevice device) {
      this.machine = machine;
      this.device = device;
      this.random = new SplittableRandom(machine);
    }

    private void forward() {
      try {
        while (true) {
          byte[] frame = device.read();
          if (frame.length < HEADER_BYTES) {
            continue;
          }
          addresses.put(address(frame, ADDRESS_BYTES), this);
          boolean isForAll = (frame[0] & 1) != 0;
          Plug to = isForAll ? null : addresses.get(address(frame, 0));
          if (to != null) {
            send(frame, to);
          } else {
            plugs.stream().filter(plug -> plug != this).forEach(plug -> send(frame, plug));
          }
        }
      } catch (IOException e) {
        unplug(this);
      }
    }

    private void send(byte[] frame, Plug to) {
      Line now = line;
      if (cut.contains(machine + " " + to.machine)
          || now.lossPerMillion > 0 && random.nextInt(1_000_000) < now.lossPerMillion) {
        return;
      }
      long delay = now.mostNanos == 0 ? 0 : random.nextLong(now.leastNanos, now.mostNanos + 1);
      long due = System.nanoTime() + delay;
      Long before = lastDue.get(to);
      if (before != null && due - before < 0) {
        due = before;
      }
      lastDue.put(to, due);
      to.arrive(frame, due, now.bytesPerSecond);
    }

    private synchronized void arrive(byte[] frame, long due, long bytesPerSecond) {
      long arrival = due;
      if (bytesPerSecond != Long.MAX_VALUE) {
        if (free - due > LONGEST_QUEUE_NANOS) {
          return;
        }
        arrival = free - due > 0 ? free : due;
        free = arrival + frame.length * NANOS_PER_SECOND / bytesPerSecond;
      }
      arriving.add(new Frame(frame, arrival, count++));
    }

    private void deliver() {
      try {
        while (plugs.contains(this)) {
          Frame frame = arriving.poll(1, TimeUnit.SECONDS);
          if (frame != null) {
            write(frame.bytes);
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void write(byte[] frame) {
      try {
        device.write(frame);
      } catch (IOException e) {
        // The machine has switched its device off: as if it had not been sent.
      }
    }
  }

  private static long address(byte[] frame, int from) {
    long address = 0;
    for (int i = from; i < from + ADDRESS_BYTES; i++) {
      address = address << BITS | frame[i] & 0xff;
    }
    return address;
  }

  /**
   * @param machine a number that no other one has
   */
  void plug(int machine, TapDevice device) {
    Plug plug = new Plug(machine, device);
    plugs.add(plug);
    daemon("from machine " + machine, plug::forward);
    daemon("to machine " + machine, plug::deliver);
  }

  private void unplug(Plug plug) {
    plugs.remove(plug);
    addresses.values().removeIf(each -> each == plug);
  }

  private static void daemon(String name, Runnable work) {
    Thread.ofPlatform().name(name).daemon().start(work);
  }

  /** Each frame takes some time between these, from now on. */
  void delay(Duration least, Duration most) {
    Line now = line;
    line = new Line(least.toNanos(), most.toNanos(), now.lossPerMillion, now.bytesPerSecond);
  }

  /** So many frames of a million are lost, from now on. */
  void lose(int perMillion) {
    Line now = line;
    line = new Line(now.leastNanos, now.mostNanos, perMillion, now.bytesPerSecond);
  }

  /** No machine receives more in a second, from now on. */
  void narrow(long bytesPerSecond) {
    Line now = line;
    line = new Line(now.leastNanos, now.mostNanos, now.lossPerMillion, bytesPerSecond);
  }

  /** Nothing gets from a machine to another one any more, nor back. */
  void cut(int one, int other) {
    cutOneWay(one, other);
    cutOneWay(other, one);
  }

  /** Nothing gets from a machine to another one any more. */
  void cutOneWay(int from, int to) {
    cut.add(from + " " + to);
  }

  /** All that was cut between two machines is whole. */
  void heal(int one, int other) {
    cut.removeAll(new HashSet<>(List.of(one + " " + other, other + " " + one)));
  }
}
