package io.huddle;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import jakarta.transaction.Transactional;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The house and the rules of its style that a machine can see. Each rule has been seen to fail. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTest {
    /** From the roof down; a package uses only those after it. */
    private static final List<String> FLOORS = List.of(
            "",
            "admin",
            "drift",
            "signal",
            "shadow",
            "presence",
            "rollout",
            "room",
            "event",
            "mesh",
            "stream",
            "link",
            "membership",
            "registry",
            "redis",
            "security",
            "web",
            "time",
            "store",
            "setting",
            // Not the server's: for integrators, in a jar of its own.
            "client",
            "wire");

    /** Beans that are transactional boundaries. Nothing else opens or joins a transaction by annotation. */
    private static final Set<String> BOUNDARIES = Set.of(
            "io.huddle.drift.Windows",
            "io.huddle.drift.Outbox",
            "io.huddle.event.Events",
            "io.huddle.room.Rooms",
            "io.huddle.rollout.Stages",
            "io.huddle.rollout.Observations",
            "io.huddle.shadow.Comparisons",
            "io.huddle.shadow.Mismatches",
            "io.huddle.presence.Sessions",
            "io.huddle.presence.Closings",
            "io.huddle.presence.Rosters",
            "io.huddle.presence.Tombstones",
            "io.huddle.admin.AuditLines",
            "io.huddle.presence.JoinKeys",
            // One row, and the grace that depends on it.
            "io.huddle.presence.Heartbeat",
            // The audit of what happens in no transaction.
            "io.huddle.mesh.Disconnections",
            // A look at a roster and its line in the audit.
            "io.huddle.admin.RoomLook",
            "io.huddle.admin.SessionSearch",
            "io.huddle.security.Tickets",
            "io.huddle.security.Nonces",
            "io.huddle.security.ClientKeys",
            // The group commit of the hot path.
            "io.huddle.presence.RenewalBatch");

    /** Pure: what they may use is Java, each other, and the values named here. */
    private static final Set<String> PURE = Set.of(
            "io.huddle.drift.AlertRules",
            "io.huddle.drift.DriftKind",
            "io.huddle.drift.DriftRules",
            "io.huddle.drift.RoomPicture",
            "io.huddle.drift.Severity",
            "io.huddle.drift.Thresholds",
            "io.huddle.drift.Window",
            "io.huddle.event.EventType",
            "io.huddle.event.RoomEvent",
            "io.huddle.event.Appended",
            "io.huddle.room.RoomState",
            "io.huddle.presence.SessionLifecycle",
            "io.huddle.presence.SessionRules",
            "io.huddle.presence.SessionState",
            "io.huddle.presence.SweepRules",
            "io.huddle.presence.Seat",
            "io.huddle.presence.Terms",
            "io.huddle.presence.Verdict",
            "io.huddle.presence.Moment",
            "io.huddle.presence.Basis",
            "io.huddle.rollout.Stage",
            "io.huddle.rollout.Media",
            "io.huddle.rollout.Scope",
            "io.huddle.rollout.StageChanged",
            "io.huddle.shadow.MismatchKind",
            "io.huddle.presence.Trigger",
            "io.huddle.presence.Ending",
            "io.huddle.presence.Doubt",
            "io.huddle.presence.MediaState",
            "io.huddle.presence.Rejection",
            "io.huddle.presence.Rejections",
            "io.huddle.presence.History",
            "io.huddle.presence.Headcount",
            "io.huddle.presence.Lateness",
            "io.huddle.signal.SignalKind",
            "io.huddle.stream.HandshakeQuery",
            "io.huddle.wire.CanonicalHandshake",
            "io.huddle.security.Caller",
            "io.huddle.security.Role",
            "io.huddle.store.Failure",
            "io.huddle.store.DatabaseUnavailable",
            "io.huddle.web.Text",
            "io.huddle.web.Utf8",
            "io.huddle.web.IdempotencyKey",
            "io.huddle.web.Causes",
            "io.huddle.web.Cursor",
            "io.huddle.web.TokenBucket",
            "io.huddle.web.Ids",
            "io.huddle.web.Reason",
            "io.huddle.web.Refusal",
            "io.huddle.web.Refused");

    /** Where this machine's clock may be read, and what for. None of them judges a lease. */
    private static final Map<String, String> LOCAL_CLOCK = Map.of(
            "io.huddle.event.LifecycleLog", "the time of a log line that belongs to no event",
            // Only what has elapsed counts, and only if it is more than the monotonic clock says: it ends leases
            // earlier.
            "io.huddle.membership.Membership", "how long the machine slept",
            "io.huddle.presence.LiveEvents", "the end of a token, and the measured delay of a delivery",
            "io.huddle.presence.StreamEvents", "the measured delay of a delivery",
            "io.huddle.security.DemoResource", "the times of a demo token",
            "io.huddle.security.SessionServlet", "the end of a token of the identity provider's",
            "io.huddle.link.Links", "the time of a proof between nodes while the database does not answer",
            "io.huddle.registry.NodeClock", "the clock of a registry that one node keeps for itself alone",
            "io.huddle.client.Credentials$Signed", "runs on the integrator's machine, and a signature has a time");

    private static final Pattern SQL_CLOCK = Pattern.compile(
            "clock_timestamp|current_timestamp|current_time\\b|localtimestamp|\\bnow\\s*\\(\\s*\\)",
            Pattern.CASE_INSENSITIVE);

    /** Text blocks and strings, which are kept, and comments, which are not. */
    private static final Pattern TEXTS =
            Pattern.compile("\"\"\"(.*?)\"\"\"|\"((?:\\\\.|[^\"\\\\\\n])*)\"|/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);

    /** What the build makes of src/main/proto is not ours to style. */
    private static final ImportOption NOT_GENERATED = location -> !(location.contains("/io/huddle/wire/")
                    || location.contains("/io/huddle/link/wire/")
                    || location.contains("/io/huddle/mesh/wire/"))
            || location.contains("/wire/Canonical");

    private final JavaClasses product = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(NOT_GENERATED)
            .importPackages("io.huddle");

    @Test
    void packages_all_areFloorsOfTheHouse() {
        Set<String> found = new TreeSet<>();
        product.forEach(one -> found.add(floor(one)));
        assertThat(found).containsExactlyInAnyOrderElementsOf(FLOORS);
    }

    /** The packages of drift and of the rollout were built and the newcomer's map of the house did not show them. */
    @Test
    void packages_all_areInTheLayoutOfTheReadme() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        String layout = readme.substring(readme.indexOf("## Layout"));
        assertThat(FLOORS.subList(1, FLOORS.size()))
                .allSatisfy(floor -> assertThat(layout).contains("`" + floor + "`"));
    }

    @Test
    void packages_each_usesOnlyThoseBelow() {
        for (int i = 1; i < FLOORS.size(); i++) {
            String[] above =
                    FLOORS.subList(0, i).stream().map(ArchitectureTest::name).toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(name(FLOORS.get(i)))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(above)
                    .because("a package uses only those below it")
                    .check(product);
        }
    }

    /** Its jar holds nothing else, and it is not in the WAR. */
    @Test
    void client_usesOnlyTheWire_andIsUsedByNone() {
        classes()
                .that()
                .resideInAPackage("io.huddle.client..")
                .should()
                .onlyDependOnClassesThat(resideInAPackage("io.huddle.client..")
                        .or(resideInAPackage("io.huddle.wire.."))
                        .or(resideInAPackage("java.."))
                        .or(resideInAPackage("com.google.protobuf.."))
                        .or(resideInAPackage("org.jspecify..")))
                .check(product);
        noClasses()
                .that()
                .resideOutsideOfPackage("io.huddle.client..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.huddle.client..")
                .check(product);
    }

    @Test
    void packages_together_haveNoCycle() {
        slices().matching("io.huddle.(*)..").should().beFreeOfCycles().check(product);
    }

    @Test
    void pureClasses_use_onlyJavaAndEachOther() {
        assertThat(product).extracting(JavaClass::getName).containsAll(PURE);
        classes()
                .that(isPure())
                .should()
                .onlyDependOnClassesThat(isPure().or(resideInAPackage("java.."))
                        .or(resideInAPackage("javax.crypto.."))
                        .or(resideInAPackage("org.jspecify..")))
                .check(product);
        noClasses()
                .that(isPure())
                .and()
                .doNotHaveFullyQualifiedName("io.huddle.store.Failure")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "java.net..", "java.util.logging..")
                .because("they tell of a world outside; only Failure reads the state of an SQLException")
                .check(product);
        noClasses()
                .that(isPure())
                .and()
                .doNotHaveFullyQualifiedName("io.huddle.web.Ids")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.util\\.Random|java\\.security\\.SecureRandom|java\\.util\\.UUID")
                .because("randomness lives at the edge; Ids is that edge")
                .check(product);
    }

    @Test
    void transactions_byAnnotation_onlyOnTheBoundaries() {
        DescribedPredicate<JavaClass> boundary =
                DescribedPredicate.describe("boundary", one -> BOUNDARIES.contains(one.getName()));
        classes()
                .that()
                .areAnnotatedWith(Transactional.class)
                .should(ArchCondition.from(boundary))
                .check(product);
        methods()
                .that()
                .areAnnotatedWith(Transactional.class)
                .should()
                .beDeclaredInClassesThat(boundary)
                .check(product);
        assertThat(product).extracting(JavaClass::getName).containsAll(BOUNDARIES);
    }

    @Test
    void staticFields_all_areFinal() {
        fields().that().areStatic().should().beFinal().check(product);
    }

    /** A final field may still hold what changes: collections, counters, caches are fields of a bean. */
    @Test
    void staticFields_final_holdNothingThatIsMeantToChange() {
        fields().that()
                .areStatic()
                .should()
                .notHaveRawType(assignableTo(java.util.concurrent.ConcurrentMap.class)
                        .or(resideInAPackage("java.util.concurrent.."))
                        .or(assignableTo(ThreadLocal.class))
                        .or(simpleName("ArrayList"))
                        .or(simpleName("HashMap"))
                        .or(simpleName("HashSet")))
                .check(product);
    }

    @Test
    void threads_none_sleep() {
        noClasses()
                .should()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callMethod(Thread.class, "sleep", long.class, int.class)
                .orShould()
                .callMethod(java.util.concurrent.TimeUnit.class, "sleep", long.class)
                .check(product);
    }

    @Test
    void threads_none_areMadeByHand() {
        noClasses()
                .that()
                // Runs in an integrator's JVM, where no server has threads for it; one pool for all clients.
                .haveNameNotMatching("io\\.huddle\\.client\\.Resources.*")
                .should()
                .callConstructorWhere(DescribedPredicate.describe(
                        "a thread or a timer",
                        call -> call.getTargetOwner().isAssignableTo(Thread.class)
                                || call.getTargetOwner().isAssignableTo(java.util.Timer.class)))
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.util.concurrent.Executors")
                .because("executors are the server's")
                .check(product);
    }

    @Test
    void localClock_read_onlyWhereNoLeaseDependsOnIt() {
        assertThat(product).extracting(JavaClass::getName).containsAll(LOCAL_CLOCK.keySet());
        noClasses()
                .that(DescribedPredicate.describe(
                        "have no reason in the list", one -> !LOCAL_CLOCK.containsKey(one.getName())))
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethodWhere(DescribedPredicate.describe(
                        "now() of java.time",
                        call -> call.getTargetOwner().getPackageName().equals("java.time")
                                && call.getTarget().getName().equals("now")))
                .check(product);
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.util\\.(Date|Calendar|GregorianCalendar)|java\\.time\\.Clock|java\\.sql\\.(Date|Time)")
                .check(product);
    }

    @Test
    void sqlClock_named_onlyInTimeAndSchema() throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (Path source : sources()) {
            String where = Path.of("src/main/java").relativize(source).toString();
            boolean allowed = where.startsWith("io/huddle/time/") || where.equals("io/huddle/store/Schema.java");
            Matcher text = TEXTS.matcher(Files.readString(source));
            while (text.find()) {
                String sql = text.group(1) == null ? text.group(2) : text.group(1);
                if (!allowed && sql != null && SQL_CLOCK.matcher(sql).find()) {
                    found.put(where, sql);
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void names_none_endInWordsThatSayNothing() {
        noClasses()
                .should()
                .haveNameMatching(".*(Impl|Manager|Helper|Helpers|Util|Utils|Dto|DTO|Base|Abstract\\w*)(\\$.*)?")
                .check(product);
    }

    @Test
    void interfaces_each_haveSeveralImplementations() {
        classes()
                .that()
                .areInterfaces()
                .and()
                .areNotAnnotations()
                .and()
                .doNotHaveSimpleName("package-info")
                // Implemented by lambdas, which no import sees.
                .and()
                .areNotAnnotatedWith(FunctionalInterface.class)
                // Written by applications, for each kind of bytes they take.
                .and()
                .doNotHaveFullyQualifiedName("io.huddle.stream.ByteReceiver")
                .should(haveSeveralImplementations())
                .allowEmptyShould(true)
                .check(product);
    }

    private static ArchCondition<JavaClass> haveSeveralImplementations() {
        return new ArchCondition<>("have several implementations") {
            @Override
            public void check(JavaClass one, ConditionEvents events) {
                int count = one.getAllSubclasses().size();
                if (count < 2) {
                    events.add(
                            SimpleConditionEvent.violated(one, one.getName() + " has " + count + " implementations"));
                }
            }
        };
    }

    private static DescribedPredicate<JavaClass> isPure() {
        return DescribedPredicate.describe("pure", one -> {
            JavaClass outermost = one.getBaseComponentType();
            while (outermost.getEnclosingClass().isPresent()) {
                outermost = outermost.getEnclosingClass().get();
            }
            return PURE.contains(outermost.getName()) || outermost.isPrimitive();
        });
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> all = Files.walk(Path.of("src/main/java"))) {
            return new ArrayList<>(
                    all.filter(path -> path.toString().endsWith(".java")).toList());
        }
    }

    private static String name(String floor) {
        return floor.isEmpty() ? "io.huddle" : "io.huddle." + floor + "..";
    }

    private static String floor(JavaClass one) {
        String name = one.getPackageName();
        return name.equals("io.huddle") ? "" : name.substring("io.huddle.".length());
    }
}
