package io.huddle.admin;

import io.huddle.setting.Setting;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What this node's settings are. A text is shown only if its name is in the list below: what nobody has listed, such as a
 * setting that is added later, is told as set or not set and nothing more. Pure but for the configuration.
 */
final class EffectiveSettings {
    /** Texts that are no secrets. An address that carries a user or a password is not shown all the same. */
    static final Set<String> SHOWN = Set.of(
            "huddle.public-url",
            "huddle.origins",
            "huddle.jwt.subject-claim",
            "huddle.stream.audience",
            "huddle.mesh.url",
            "huddle.mesh.namespace",
            "huddle.ice.stun-urls",
            "huddle.ice.turn-urls");

    private EffectiveSettings() {}

    /**
     * A setting.
     *
     * @param value what is in force; null for what is hidden, and for texts that are not set
     * @param byDefault null for texts, which have none
     * @param changed true if the value is not the default
     * @param hidden true if a value that is set is not shown
     */
    public record SettingJson(
            String name, @Nullable String value, @Nullable String byDefault, boolean changed, boolean hidden) {}

    /** All settings, by name. */
    static List<SettingJson> read() {
        List<SettingJson> all = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            String value = text(setting, setting.value());
            String byDefault = text(setting, setting.byDefault());
            all.add(new SettingJson(setting.key(), value, byDefault, !value.equals(byDefault), false));
        }
        Setting.TEXT.forEach(name -> all.add(text(name, Setting.text(name))));
        return all.stream().sorted(Comparator.comparing(SettingJson::name)).toList();
    }

    static SettingJson text(String name, String value) {
        boolean isSet = !value.isEmpty();
        boolean isShown = SHOWN.contains(name) && value.indexOf('@') < 0;
        return new SettingJson(name, isSet && isShown ? value : null, null, isSet, isSet && !isShown);
    }

    private static String text(Setting setting, int value) {
        return setting.isSwitch() ? String.valueOf(value == 1) : String.valueOf(value);
    }
}
