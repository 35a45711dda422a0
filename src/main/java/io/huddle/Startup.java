package io.huddle;

import io.huddle.drift.WebhookAddress;
import io.huddle.link.Links;
import io.huddle.security.StartConditions;
import io.huddle.setting.Setting;
import io.huddle.store.Database;
import io.huddle.store.DatabaseReady;
import io.huddle.store.DatabaseUnavailable;
import io.huddle.store.Schema;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The order of a start: settings, loopback rule, schema, then background work.
 *
 * <p>A wrong setting or a wrong schema fails the start. A database that does not answer yet does not: the node answers
 * 503 and tries again each second, so that databases and nodes may be started in any order.
 */
@WebListener
public class Startup implements ServletContextListener {
    private static final Logger LOG = Logger.getLogger(Startup.class.getName());
    private static final int AGAIN_SECONDS = 1;

    @Inject
    private StartConditions guard;

    @Inject
    private Schema schema;

    @Inject
    private Database database;

    @Inject
    private Event<DatabaseReady> ready;

    @Resource
    private ManagedScheduledExecutorService scheduler;

    private volatile boolean stopped;

    @Override
    public void contextInitialized(ServletContextEvent event) {
        Setting.checkAll();
        guard.check();
        WebhookAddress.check();
        Links.check(event.getServletContext());
        try {
            begin();
        } catch (DatabaseUnavailable notYet) {
            LOG.log(Level.WARNING, "the database does not answer; trying again each second: {0}", reason(notYet));
            ScheduledFuture<?> unused = scheduler.schedule(this::again, AGAIN_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {
        stopped = true;
    }

    private void begin() {
        schema.bringUp();
        ready.fire(new DatabaseReady(database.dialect()));
    }

    private void again() {
        if (stopped) {
            return;
        }
        try {
            begin();
            LOG.info("the database answers");
        } catch (DatabaseUnavailable notYet) {
            ScheduledFuture<?> unused = scheduler.schedule(this::again, AGAIN_SECONDS, TimeUnit.SECONDS);
        } catch (RuntimeException unfit) {
            LOG.log(Level.SEVERE, "the node cannot serve", unfit);
        }
    }

    private static String reason(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }
}
