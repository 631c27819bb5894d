package io.gauss.storage.map.api;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * Values of the cluster's settings.
 *
 * @param changed those that differ from their defaults
 */
public record ClusterSettings(Map<ClusterSetting, Integer> changed) {
  public static final ClusterSettings DEFAULTS = new ClusterSettings(Map.of());

  public ClusterSettings {
    EnumMap<ClusterSetting, Integer> ordered = new EnumMap<>(ClusterSetting.class);
    changed.forEach(
        (setting, value) -> {
          if (value != setting.initial()) {
            ordered.put(setting, value);
          }
        });
    changed = Collections.unmodifiableMap(ordered);
  }

  public int get(ClusterSetting setting) {
    return changed.getOrDefault(setting, setting.initial());
  }

  public ClusterSettings with(ClusterSetting setting, int value) {
    EnumMap<ClusterSetting, Integer> next = new EnumMap<>(ClusterSetting.class);
    next.putAll(changed);
    next.put(setting, value);
    return new ClusterSettings(next);
  }

  /** The problem with these values, if there is one. */
  public Optional<String> problem() {
    for (ClusterSetting setting : ClusterSetting.values()) {
      if (!setting.allows(get(setting))) {
        return Optional.of(setting.settingName() + " must be " + setting.range());
      }
    }
    int duration = get(ClusterSetting.LEASE_DURATION);
    if (get(ClusterSetting.LEASE_RENEWAL) > duration / 2) {
      return Optional.of("lease.renewal must be at most half of lease.duration");
    }
    if (get(ClusterSetting.LEASE_MARGIN) < duration / 10) {
      return Optional.of("lease.margin must be at least a tenth of lease.duration");
    }
    return Optional.empty();
  }
}
