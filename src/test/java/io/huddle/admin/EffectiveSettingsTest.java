package io.huddle.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.setting.Configured;
import io.huddle.setting.Setting;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class EffectiveSettingsTest {
    private static final String SECRET = "correct-horse-battery";

    /** Whatever is added to the texts later is hidden until somebody has listed it. */
    @Test
    void texts_thatNobodyListed_areHidden() {
        Map<String, String> all = new TreeMap<>();
        Setting.TEXT.forEach(name -> all.put(name, SECRET + name));
        Configured.with(
                all,
                () -> assertThat(EffectiveSettings.read())
                        .filteredOn(setting -> Setting.TEXT.contains(setting.name()))
                        .hasSameSizeAs(Setting.TEXT)
                        .allSatisfy(setting -> {
                            boolean shown = EffectiveSettings.SHOWN.contains(setting.name());
                            assertThat(setting.hidden()).as(setting.name()).isEqualTo(!shown);
                            assertThat(setting.value()).isEqualTo(shown ? SECRET + setting.name() : null);
                            assertThat(setting.changed()).isTrue();
                        }));
    }

    @Test
    void texts_whoseNamesTellOfSecrets_areNotListed() {
        assertThat(EffectiveSettings.SHOWN).isSubsetOf(Setting.TEXT);
        assertThat(EffectiveSettings.SHOWN)
                .noneMatch(name -> name.matches(".*(secret|password|token|credential|redis|webhook).*"));
    }

    @Test
    void address_withAUserInIt_isHidden() {
        assertThat(EffectiveSettings.text("huddle.public-url", "https://me:pass@huddle.example"))
                .satisfies(setting -> {
                    assertThat(setting.hidden()).isTrue();
                    assertThat(setting.value()).isNull();
                });
    }

    @Test
    void text_notSet_isNeitherShownNorHidden() {
        assertThat(EffectiveSettings.text("huddle.keys.secret", ""))
                .isEqualTo(new EffectiveSettings.SettingJson("huddle.keys.secret", null, null, false, false));
    }

    @Test
    void numbersAndSwitches_areToldWithTheirDefaults() {
        Map<String, String> set = Map.of("huddle.room.lease-seconds", "30", "huddle.demo", "true");
        Configured.with(set, () -> {
            assertSetting("huddle.room.lease-seconds", setting -> {
                assertThat(setting.value()).isEqualTo("30");
                assertThat(setting.byDefault()).isEqualTo("15");
                assertThat(setting.changed()).isTrue();
            });
            assertSetting("huddle.demo", setting -> assertThat(setting.value()).isEqualTo("true"));
            assertSetting(
                    "huddle.limits.page-size",
                    setting -> assertThat(setting.changed()).isFalse());
        });
    }

    private static void assertSetting(String name, Consumer<EffectiveSettings.SettingJson> check) {
        assertThat(EffectiveSettings.read())
                .filteredOn(setting -> setting.name().equals(name))
                .singleElement()
                .satisfies(check);
    }
}
