package io.huddle.soak;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Node;
import io.huddle.harness.RedisCommands;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What must be true once everything works again. */
final class Invariants {
    private static final Pattern NODE_INDEX = Pattern.compile(".*[}:]n:(\\d+)");

    /** An open one; what is remembered of a claim that had its effect is named otherwise. */
    private static final Pattern CLAIM = Pattern.compile("[^}]*}:claim:.*");

    private final Place place;
    private final List<Person> people;
    private final List<String> broken = new ArrayList<>();

    private Invariants(Place place, List<Person> people) {
        this.place = place;
        this.people = people;
    }

    /** Sentences about what is not true; none if all is well. */
    static List<String> broken(Place place, List<Person> people) {
        Invariants invariants = new Invariants(place, people);
        try {
            invariants.judge();
        } catch (RuntimeException | AssertionError unanswered) {
            invariants.broken.add("not to be asked: " + unanswered.getMessage());
        }
        return invariants.broken;
    }

    private void judge() {
        List<String> away = people.stream()
                .filter(person -> !person.isConnected())
                .map(person -> person.recorder().client() + " (" + person.lastRefusal() + ")")
                .toList();
        require(away.isEmpty(), "not connected: " + away);
        Set<String> numbers = registry();
        everybodyAnswersByTheNewest();
        double streams = place.nodes.stream()
                .mapToDouble(node -> place.metric(node, "huddle_streams"))
                .sum();
        require(streams == people.size(), "public streams of all nodes: " + streams + " for " + people.size());
        for (Node node : place.nodes) {
            require(place.metric(node, "huddle_orphan_items") == 0, node.name() + " has orphans left");
            require(place.metric(node, "huddle_orphan_dead_letters") == 0, node.name() + " has orphans set aside");
        }
        remainders(numbers);
        presence();
    }

    private Set<String> registry() {
        Set<String> connected = people.stream()
                .map(person -> person.recorder().client())
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> numbers = new HashSet<>();
        for (Node node : place.nodes) {
            Map<String, String> listed = place.listed(node);
            Set<String> missing = difference(connected, listed.keySet());
            Set<String> surplus = difference(listed.keySet(), connected);
            require(missing.isEmpty() && surplus.isEmpty(), node.name() + " lists not " + missing + " but " + surplus);
            numbers.addAll(listed.values());
        }
        require(numbers.size() <= place.nodes.size(), "clients of more nodes than there are: " + numbers);
        return numbers;
    }

    private void everybodyAnswersByTheNewest() {
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < people.size(); i++) {
            Recorder recorder = people.get(i).recorder();
            Node node = place.nodes.get(i % place.nodes.size());
            // What is below zero is no recorded call.
            Answer answer = place.integrator(node)
                    .post(
                            "/clients/" + recorder.client() + "/invoke",
                            Api.json().add("type", "soak").add("data", -1).build());
            if (answer.status() != 200 || answer.json().getInt("data") != recorder.newest()) {
                wrong.add(recorder.client() + " by " + node.name() + ": " + answer + ", newest " + recorder.newest());
            }
        }
        require(wrong.isEmpty(), "not answered by the newest connection: " + wrong);
    }

    private void remainders(Set<String> numbers) {
        try (RedisCommands redis = place.redis.commands()) {
            List<String> left = new ArrayList<>();
            if (redis.ask("KEYS", "*") instanceof List<?> keys) {
                for (Object key : keys) {
                    Matcher index = NODE_INDEX.matcher(String.valueOf(key));
                    if (index.matches() && !numbers.contains(index.group(1))) {
                        left.add(key + " of no node with clients");
                    }
                    if (CLAIM.matcher(String.valueOf(key)).matches()) {
                        left.add(key + ", an open claim");
                    }
                }
            }
            require(left.isEmpty(), "left in Redis: " + left);
        }
    }

    /** Everybody was renewed all the time, and no fault is longer than a lease. */
    private void presence() {
        Set<String> absent = new TreeSet<>();
        for (Person person : people) {
            if (person.isParticipant()) {
                place
                        .store
                        .column(
                                "SELECT state FROM room_session WHERE id = ?",
                                person.recorder().client())
                        .stream()
                        .filter(state -> !"present".equals(state))
                        .forEach(state -> absent.add(person.recorder().client() + " " + state));
            }
        }
        require(absent.isEmpty(), "not present although renewed: " + absent);
        List<?> ends = place.store.column("SELECT type FROM room_event WHERE type IN ('participant.expired',"
                + " 'participant.left', 'participant.removed')");
        require(ends.isEmpty(), "taken out of the room although renewed: " + ends.size());
    }

    private void require(boolean isTrue, String otherwise) {
        if (!isTrue) {
            broken.add(otherwise);
        }
    }

    private static Set<String> difference(Set<String> one, Set<String> other) {
        Set<String> rest = new TreeSet<>(one);
        rest.removeAll(other);
        return rest;
    }
}
