package io.huddle.browser;

import io.huddle.harness.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/** One person's browser: headless Chromium of the system, nothing downloaded. Used by one thread. */
final class Browser implements AutoCloseable {
    static final String HOW_TO_GET_IT =
            "skipped: no Chromium with its driver; apt-get install chromium chromium-driver";

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Path SCREENSHOTS = Path.of("target", "screenshots");

    /** Keeps the page's connections where a test finds them; the page itself is as it is served. */
    private static final String RECORDER = """
            window.connections = [];
            window.RTCPeerConnection = class extends window.RTCPeerConnection {
              constructor(...all) {
                super(...all);
                window.connections.push(this);
              }
            };""";

    private static final String PACKETS = """
            const done = arguments[arguments.length - 1];
            const live = window.connections.filter((each) => each.connectionState === 'connected');
            Promise.all(live.map((each) => each.getStats())).then((reports) => {
              const all = reports.flatMap((report) => [...report.values()]);
              const audio = all.filter((each) => each.type === 'inbound-rtp' && each.kind === 'audio');
              done(audio.reduce((sum, each) => sum + each.packetsReceived, 0));
            });""";

    /** Notes who is on the roster at each change of it. */
    private static final String WATCH_ROSTER = """
            const list = document.getElementById('roster');
            const names = () => [...list.querySelectorAll('.name')].map((each) => each.textContent).join(' ');
            window.rosters = [names()];
            new MutationObserver(() => {
              if (window.rosters.at(-1) !== names()) window.rosters.push(names());
            }).observe(list, { childList: true, subtree: true, characterData: true });""";

    private static final String WATCH_FOR = """
            const [css, text] = arguments;
            window.seenAt = 0;
            const look = () => {
              if (!window.seenAt && document.querySelector(css)?.innerText.includes(text)) window.seenAt = Date.now();
            };
            new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });""";

    private static final int WIDE = 1_366;

    private static final int MOST_TABS = 120;

    /** The process that does all networking of a Chromium: http, WebSockets, and the packets of audio. */
    private static final String NETWORK = "--utility-sub-type=network.mojom.NetworkService";

    private final ChromeDriver driver;
    private final List<ProcessHandle> processes;

    private Browser(ChromeDriver driver, List<ProcessHandle> processes) {
        this.driver = driver;
        this.processes = processes;
    }

    /** True if the machine has what the tests need. */
    static boolean isThere() {
        return chromium().isPresent() && chromedriver().isPresent();
    }

    /** A browser without a microphone, as this machine has none. */
    static Browser open() {
        return open(List.of());
    }

    /**
     * A browser with a microphone that beeps, which nobody has to allow. Addresses of this machine are told to the peer as
     * they are: without a network of names, the ones that hide them cannot be resolved.
     */
    static Browser talking() {
        return open(List.of(
                "--use-fake-device-for-media-stream",
                "--use-fake-ui-for-media-stream",
                "--disable-features=WebRtcHideLocalIpsWithMdns"));
    }

    /** A browser that takes the certificates which servers made for themselves. */
    static Browser trusting() {
        return open(List.of("--ignore-certificate-errors"));
    }

    private static Browser open(List<String> more) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium().orElseThrow().toString());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-dev-shm-usage",
                "--window-size=1180,900");
        options.addArguments(more);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.WARNING);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver().orElseThrow().toFile())
                .build();
        List<ProcessHandle> others = ProcessHandle.current().children().toList();
        ChromeDriver driver = new ChromeDriver(service, options);
        List<ProcessHandle> own = ProcessHandle.current()
                .children()
                .filter(each -> !others.contains(each))
                .toList();
        driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", RECORDER));
        return new Browser(driver, own);
    }

    /** Runs a script in each page that is opened from now on, before any of its own. */
    void before(String javaScript) {
        driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", javaScript));
    }

    void go(URI address) {
        driver.get(address.toString());
    }

    void type(String id, String text) {
        WebElement field = visible(id);
        field.clear();
        field.sendKeys(text);
    }

    void click(String id) {
        visible(id).click();
    }

    void clickIn(String css) {
        waiting().until(any -> driver.findElement(By.cssSelector(css)).isDisplayed());
        driver.findElement(By.cssSelector(css)).click();
    }

    /** Waits until the element with this id holds the text. */
    void awaitText(String id, String text) {
        waiting()
                .withMessage(() -> id + " never said '" + text + "' but: " + text(id))
                .until(any -> text(id).contains(text));
    }

    void awaitNoText(String id, String text) {
        waiting()
                .withMessage(() -> id + " still says '" + text + "': " + text(id))
                .until(any -> !text(id).contains(text));
    }

    String text(String id) {
        return driver.findElement(By.id(id)).getText();
    }

    /** How many audio packets have come in on the connections that stand now. */
    long packets() {
        Object packets = driver.executeAsyncScript(PACKETS);
        return packets instanceof Number number ? number.longValue() : 0;
    }

    /** Waits until audio comes in: over a second, many packets more. */
    void awaitSound(String what) {
        waiting().withMessage(() -> "no connection for " + what).until(any -> packets() > 0);
        long before = packets();
        waiting().withMessage(() -> "no sound for " + what).until(any -> packets() > before + 25);
    }

    /** How many connections of the page stand or are being made. */
    long connections() {
        Object open = driver.executeScript(
                "return window.connections.filter((each) => each.connectionState !== 'closed').length");
        return open instanceof Number number ? number.longValue() : 0;
    }

    void watchRoster() {
        driver.executeScript(WATCH_ROSTER);
    }

    /** Each roster that was shown since {@link #watchRoster}: the names with spaces between. */
    List<String> rosters() {
        Object rosters = driver.executeScript("return window.rosters");
        return rosters instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }

    /** Presses a key with nothing focused. */
    void press(String key) {
        driver.executeScript("document.activeElement?.blur()");
        driver.findElement(By.tagName("body")).sendKeys(key);
    }

    /** Moves the focus on by the keyboard alone until it is on such an element; fails after a whole round. */
    void tabTo(String css) {
        for (int i = 0; i < MOST_TABS; i++) {
            driver.switchTo().activeElement().sendKeys(Keys.TAB);
            Object there = driver.executeScript("return document.activeElement.matches(arguments[0])", css);
            if (Boolean.TRUE.equals(there)) {
                return;
            }
        }
        throw new AssertionError("the keyboard does not lead to " + css);
    }

    /** Presses keys where the focus is. */
    void keys(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    /** True if the focus is on such an element. */
    boolean isFocused(String css) {
        return Boolean.TRUE.equals(driver.executeScript("return document.activeElement.matches(arguments[0])", css));
    }

    /** Waits until an element of this kind holds the text. */
    void awaitTextIn(String css, String text) {
        waiting()
                .withMessage(() -> css + " never said '" + text + "' but: " + textIn(css))
                .until(any -> textIn(css).contains(text));
    }

    void awaitNoTextIn(String css, String text) {
        waiting()
                .withMessage(() -> css + " still says '" + text + "': " + textIn(css))
                .until(any -> !textIn(css).contains(text));
    }

    /** What the first of these elements says; nothing where there is none. */
    String textIn(String css) {
        Object text = driver.executeScript("return document.querySelector(arguments[0])?.innerText ?? ''", css);
        return String.valueOf(text);
    }

    /** Notes when an element says something for the first time, by the clock of the machine. */
    void watchFor(String css, String text) {
        driver.executeScript(WATCH_FOR, css, text);
    }

    /** When that was, in milliseconds since 1970. */
    long awaitSeen() {
        waiting().withMessage("it was never seen").until(any -> seen() > 0);
        return seen();
    }

    private long seen() {
        Object at = driver.executeScript("return window.seenAt");
        return at instanceof Number number ? number.longValue() : 0;
    }

    boolean shows(String css) {
        return driver.findElements(By.cssSelector(css)).stream().anyMatch(WebElement::isDisplayed);
    }

    void awaitShown(String css) {
        waiting().withMessage(() -> css + " is not shown").until(any -> shows(css));
    }

    void awaitGone(String css) {
        waiting().withMessage(() -> css + " is still shown").until(any -> !shows(css));
    }

    /** The session of the participant who is shown under this name. */
    String session(String name) {
        Object key = driver.executeScript(
                "return document.querySelector(`#roster li[data-name='${arguments[0]}']`)?.dataset.key ?? ''", name);
        return String.valueOf(key);
    }

    /** Shows the page as for somebody who chose this theme, and no motion: a colour on its way to another is neither. */
    void theme(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(
                                Map.of("name", "prefers-color-scheme", "value", scheme),
                                Map.of("name", "prefers-reduced-motion", "value", "reduce"))));
    }

    /** What axe finds wrong with the page as it is now: rule and elements. */
    List<String> barriers() {
        driver.executeScript(Axe.SCRIPT);
        Object found = driver.executeAsyncScript(Axe.RUN);
        return found instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of("axe did not run");
    }

    String query() {
        return Optional.ofNullable(
                        URI.create(Optional.ofNullable(driver.getCurrentUrl()).orElse(""))
                                .getQuery())
                .orElse("");
    }

    /** What the address bar shows. */
    String address() {
        return String.valueOf(driver.getCurrentUrl());
    }

    /** What a script of the page would see. */
    String script(String javaScript) {
        return String.valueOf(driver.executeScript(javaScript));
    }

    /** All cookies of the browser, also those that no script sees, as Chromium describes them. */
    @SuppressWarnings("unchecked")
    List<Map<String, Object>> cookies() {
        Object cookies =
                driver.executeCdpCommand("Network.getAllCookies", Map.of()).get("cookies");
        return cookies instanceof List<?> list ? (List<Map<String, Object>>) list : List.of();
    }

    /** What the page complained of, without the refusals it was meant to get. */
    List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(entry -> entry.getMessage())
                .filter(message -> !message.contains("Failed to load resource"))
                .toList();
    }

    void screenshot(String name) {
        screenshot(SCREENSHOTS.resolve(name + ".png"));
    }

    /** A picture in which the element is shown: people stop speaking while it is taken. */
    void screenshotOf(String css, Path file) {
        waiting().withMessage(() -> css + " is never in the picture").until(any -> {
            boolean before = shows(css);
            screenshot(file);
            return before && shows(css);
        });
    }

    /** A picture as high as the page itself. */
    void screenshotWhole(Path file) {
        Object height = driver.executeScript("return Math.max(760, document.documentElement.scrollHeight)");
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", WIDE, "height", height, "deviceScaleFactor", 1, "mobile", false));
        screenshot(file);
        driver.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
    }

    private void screenshot(Path file) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Takes the whole network away, audio included; connections stay as they are, and nothing passes. */
    void freezeNetwork() {
        List<ProcessHandle> network = network();
        if (network.size() != 1) {
            throw new IllegalStateException("a Chromium has one process for its network, not " + network.size());
        }
        network.forEach(process -> Processes.signal(process, "STOP"));
    }

    void thawNetwork() {
        network().forEach(process -> Processes.signal(process, "CONT"));
    }

    private List<ProcessHandle> network() {
        return processes.stream()
                .flatMap(ProcessHandle::descendants)
                .filter(Browser::isNetwork)
                .toList();
    }

    /** Chromium writes its title over its arguments, so that Java does not find them. */
    private static boolean isNetwork(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                    .contains(NETWORK);
        } catch (IOException gone) {
            return false;
        }
    }

    /** Waits until no audio comes in any more. */
    void awaitSilence() {
        waiting().withMessage("audio still comes in").until(any -> {
            long before = packets();
            driver.executeAsyncScript("setTimeout(arguments[arguments.length - 1], 500)");
            return packets() == before;
        });
    }

    @Override
    public void close() {
        thawNetwork();
        driver.quit();
    }

    private WebElement visible(String id) {
        waiting()
                .withMessage(() -> id + " never became visible")
                .until(any -> driver.findElement(By.id(id)).isDisplayed());
        return driver.findElement(By.id(id));
    }

    private WebDriverWait waiting() {
        WebDriverWait wait = new WebDriverWait(driver, PATIENCE, Duration.ofMillis(50));
        wait.ignoring(org.openqa.selenium.NoSuchElementException.class);
        wait.ignoring(org.openqa.selenium.StaleElementReferenceException.class);
        return wait;
    }

    private static Optional<Path> chromium() {
        return first("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
    }

    private static Optional<Path> chromedriver() {
        return first("/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver");
    }

    private static Optional<Path> first(String... paths) {
        return Stream.of(paths).map(Path::of).filter(Files::isExecutable).findFirst();
    }
}
