/** What nodes ask of each other, made by the build from {@code src/main/proto/operations.proto}. */
package io.huddle.mesh.wire;
