package io.huddle.admin;

import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.store.Database;
import io.huddle.store.Schema;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Locale;

/** The settings of the node that answers, without its secrets. Callers: operators. */
@Path("/admin/config")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class ConfigResource {
    @Inject
    private Database database;

    @Inject
    private Callers callers;

    /**
     * What this node runs with.
     *
     * @param database which kind of database
     * @param schema the version of the tables
     */
    public record ConfigJson(String database, String schema, List<EffectiveSettings.SettingJson> settings) {}

    @GET
    public ConfigJson read() {
        callers.current().need(Role.OPERATOR);
        return new ConfigJson(
                database.dialect().name().toLowerCase(Locale.ROOT), Schema.VERSION, EffectiveSettings.read());
    }
}
