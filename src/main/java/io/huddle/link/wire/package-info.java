/**
 * The wire between nodes: the messages generated from {@code src/main/proto/mesh.proto}, and nothing by hand. Used by
 * {@code io.huddle.link} alone.
 */
package io.huddle.link.wire;
