package io.huddle.setting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingTest {
    @ParameterizedTest
    @EnumSource(Setting.class)
    void setting_any_isWithinItsOwnBounds(Setting setting) {
        assertThat(setting.byDefault()).isBetween(setting.least(), setting.most());
        assertThat(setting.key()).startsWith("huddle.").matches("[a-z.-]+");
        assertThat(setting.value(new Configured(Map.of()))).isEqualTo(setting.byDefault());
    }

    @Test
    void settings_keys_areDistinct() {
        assertThat(Setting.values()).extracting(Setting::key).doesNotHaveDuplicates();
        assertThat(Setting.values()).extracting(Setting::key).doesNotContainAnyElementsOf(Setting.TEXT);
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void setting_any_takesItsBoundsAndNothingBeyond(Setting setting) {
        if (setting.isSwitch()) {
            assertThat(value(setting, "true")).isEqualTo(1);
            assertThat(value(setting, "false")).isZero();
            assertWrong(setting, "1", "must be true or false");
            return;
        }
        assertThat(value(setting, "" + setting.least())).isEqualTo(setting.least());
        assertThat(value(setting, " " + setting.most() + " ")).isEqualTo(setting.most());
        String bounds = "must be a whole number from " + setting.least() + " to " + setting.most();
        assertWrong(setting, "" + (setting.least() - 1), bounds);
        assertWrong(setting, "" + (setting.most() + 1L), bounds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "1.0", "5s", "1e1", "99999999999", "0x10", "--5"})
    void number_noWholeNumber_namesSettingAndBounds(String text) {
        assertWrong(Setting.HEARTBEAT_SECONDS, text, "must be a whole number from 1 to 30");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRUE", "yes", "on", "0", "2"})
    void switch_anotherWord_isRefused(String text) {
        assertWrong(Setting.DEMO, text, "must be true or false");
    }

    @Test
    void text_unknownName_isADefect() {
        assertThatIllegalArgumentException().isThrownBy(() -> Setting.text("huddle.demo"));
    }

    @Test
    void text_missing_isEmpty() {
        assertThat(Setting.text("huddle.origins")).isEmpty();
    }

    @Test
    void checkAll_defaults_pass() {
        Setting.checkAll();
    }

    @Test
    void checkAll_leaseBelowThreeHeartbeats_stopsTheStart() {
        Map<String, String> three = Map.of("huddle.room.heartbeat-seconds", "6", "huddle.room.lease-seconds", "18");
        Configured.with(three, Setting::checkAll);
        assertStops(Map.of("huddle.room.heartbeat-seconds", "6", "huddle.room.lease-seconds", "17"), "three times");
        assertStops(Map.of("huddle.room.heartbeat-seconds", "6"), "huddle.room.lease-seconds");
    }

    @ParameterizedTest
    @ValueSource(strings = {"huddle.room.heartbeat", "huddle.Demo", "huddle.", "huddle.limits.body-bytes2"})
    void checkAll_unknownName_stopsTheStart(String name) {
        assertStops(Map.of(name, "1"), name + " is no setting of Huddle");
    }

    @Test
    void checkAll_namesOfOthers_areNotOurs() {
        Configured.with(Map.of("mp.jwt.verify.issuer", "x", "HUDDLE_DEMO", "true", "huddlex", "1"), Setting::checkAll);
    }

    @Test
    void checkAll_oneOutOfBounds_isNamed() {
        assertStops(Map.of("huddle.sweep.interval-ms", "1001"), "huddle.sweep.interval-ms is '1001'");
    }

    private static void assertStops(Map<String, String> texts, String words) {
        Configured.with(
                texts,
                () -> assertThatIllegalStateException()
                        .isThrownBy(Setting::checkAll)
                        .withMessageContaining(words));
    }

    private static int value(Setting setting, String text) {
        return setting.value(new Configured(Map.of(setting.key(), text)));
    }

    private static void assertWrong(Setting setting, String text, String words) {
        assertThatIllegalStateException()
                .isThrownBy(() -> value(setting, text))
                .withMessageContaining(setting.key() + " is '" + text + "'")
                .withMessageContaining(words);
    }
}
