/**
 * Spaces: which pages are in use, which node hands them out, and where a database begins. Begin
 * with {@link io.gauss.compute.space.Spaces} and {@link io.gauss.compute.space.MetaPage}.
 */
package io.gauss.compute.space;
