/** Small files that outlive a crash. Begin with {@link io.gauss.common.file.WholeFile}. */
package io.gauss.common.file;
