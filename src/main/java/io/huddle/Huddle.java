package io.huddle;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** The REST application. Its contract is {@code META-INF/openapi.yaml}. */
@ApplicationPath("/api/v1")
public class Huddle extends Application {}
