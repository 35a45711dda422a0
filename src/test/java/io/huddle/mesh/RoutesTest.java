package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.mesh.Routes.Route;
import org.junit.jupiter.api.Test;

class RoutesTest {
    private static final Route ONE = new Route(1, "process-a", "x-1");
    private static final Route OTHER = new Route(2, "process-b", "x-2");

    @Test
    void routes_pastTheirNumber_makeRoomByTheOneNotUsedForTheLongest() {
        Routes routes = new Routes(3);
        routes.put("a", ONE);
        routes.put("b", ONE);
        routes.put("c", ONE);
        assertThat(routes.find("a")).as("used").isEqualTo(ONE);

        routes.put("d", ONE);

        assertThat(routes.find("b")).isNull();
        assertThat(routes.find("a")).isEqualTo(ONE);
        assertThat(routes.find("c")).isEqualTo(ONE);
        assertThat(routes.find("d")).isEqualTo(ONE);
    }

    @Test
    void routes_ofManyClients_areNeverMoreThanMayBe() {
        Routes routes = new Routes(100);
        for (int i = 0; i < 10_000; i++) {
            routes.put("client-" + i, ONE);
        }

        int known = 0;
        for (int i = 0; i < 10_000; i++) {
            known += routes.find("client-" + i) == null ? 0 : 1;
        }
        assertThat(known).isEqualTo(100);
        assertThat(routes.find("client-9999")).isEqualTo(ONE);
    }

    @Test
    void route_thatHasChangedMeanwhile_isNotForgotten() {
        Routes routes = new Routes(3);
        routes.put("a", OTHER);

        routes.forget("a", ONE);
        assertThat(routes.find("a")).isEqualTo(OTHER);
        routes.forget("a", OTHER);
        assertThat(routes.find("a")).isNull();
    }
}
