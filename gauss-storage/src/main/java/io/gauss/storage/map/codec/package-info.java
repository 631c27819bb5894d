/**
 * The cluster map, its commands and its messages in bytes. Begin with {@link
 * io.gauss.storage.map.codec.ClusterMapCodec} and {@link
 * io.gauss.storage.map.codec.MapFrameLayout}.
 */
package io.gauss.storage.map.codec;
