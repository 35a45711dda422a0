# Build:  docker build -t huddle .          (BuildKit, as in Docker 23 and newer, or buildah)
# Run:    docker run -p 9080:9080 --env-file huddle.env -v /etc/huddle:/etc/huddle:ro huddle
# huddle.env holds DB_URL, DB_USER, DB_PASSWORD, MP_JWT_VERIFY_* and KEYSTORE_PASSWORD: see README, "Run it in production".

FROM maven:3.9-eclipse-temurin-17 AS build
WORKDIR /huddle
COPY . .
# The layout that the integration tests run, without the database that is for trying it out.
RUN --mount=type=cache,target=/root/.m2 mvn -B -ntp -Dmaven.test.skip=true verify \
    && chmod -R a+rX target/packaged/wlp \
    && rm target/packaged/wlp/usr/shared/resources/jdbc/h2-*.jar

FROM eclipse-temurin:17-jre
COPY --chmod=755 <<'START' /opt/huddle/bin/start
#!/bin/bash
# Starts the server in place of this shell, so that SIGTERM reaches it. Without a password for the key store one is made
# up, and kept beside the key store for as long as the container lives.
set -eu
security="$WLP_OUTPUT_DIR/huddle/resources/security"
if [ -z "${KEYSTORE_PASSWORD:-}" ]; then
    if [ ! -s "$security/password" ]; then
        if [ -e "$security/key.p12" ]; then
            echo "There is a $security/key.p12, so KEYSTORE_PASSWORD must be set." >&2
            exit 1
        fi
        mkdir -p "$security"
        (umask 077 && head -c 32 /dev/urandom | base64 > "$security/password")
    fi
    KEYSTORE_PASSWORD="$(cat "$security/password")"
    export KEYSTORE_PASSWORD
fi
exec /opt/huddle/wlp/bin/server run huddle
START
COPY --chmod=755 <<'HEALTHY' /opt/huddle/bin/healthy
#!/bin/bash
# The application has started and the server answers. Where it serves TLS only: the port takes a connection. Not readiness,
# since a database that is away is no reason to end the node; not liveness alone, which is up without an application.
set -eu
host="${HTTP_HOST/#\*/127.0.0.1}"
if [ "${HTTP_PORT:-9080}" = -1 ]; then
    exec 3<> "/dev/tcp/$host/$HTTPS_PORT"
else
    exec 3<> "/dev/tcp/$host/${HTTP_PORT:-9080}"
    printf 'GET /health/started HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
    IFS= read -r status <&3
    [[ "$status" == *' 200 '* ]]
fi
HEALTHY
COPY --from=build /huddle/target/packaged/wlp /opt/huddle/wlp
RUN mkdir -p /var/lib/huddle && chown 1001:0 /var/lib/huddle && chmod 770 /var/lib/huddle

ENV HTTP_HOST=* \
    LOG_FORMAT=json \
    DB_DRIVER=postgresql-*.jar \
    DB_ON_CONNECT="SET idle_in_transaction_session_timeout = '1s'; SET lock_timeout = '500ms'; SET statement_timeout = '800ms'; SET plan_cache_mode = force_generic_plan" \
    WLP_OUTPUT_DIR=/var/lib/huddle
USER 1001:0
EXPOSE 9080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s CMD ["/opt/huddle/bin/healthy"]
ENTRYPOINT ["/opt/huddle/bin/start"]
