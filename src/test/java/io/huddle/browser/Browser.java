package io.huddle.browser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.By;
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

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** True if the machine has what the tests need. */
    static boolean isThere() {
        return chromium().isPresent() && chromedriver().isPresent();
    }

    static Browser open() {
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
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.WARNING);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver().orElseThrow().toFile())
                .build();
        return new Browser(new ChromeDriver(service, options));
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

    String query() {
        return Optional.ofNullable(
                        URI.create(Optional.ofNullable(driver.getCurrentUrl()).orElse(""))
                                .getQuery())
                .orElse("");
    }

    /** What the page complained of, without the refusals it was meant to get. */
    List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(entry -> entry.getMessage())
                .filter(message -> !message.contains("Failed to load resource"))
                .toList();
    }

    void screenshot(String name) {
        try {
            Files.createDirectories(SCREENSHOTS);
            Files.write(SCREENSHOTS.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
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
