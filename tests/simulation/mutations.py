"""Plants faults in the code that the simulator runs, and reports how long it takes to find each one.

  tests/simulation/mutations.py BUILD [SECONDS] [PART_OF_A_NAME...]

The files of the simulated parts are compiled once into BUILD/mutations, with the options of BUILD. For each fault, one file is
compiled again with the fault. The exit code is 1 if a fault was not found in SECONDS (60).
"""

import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPOSITORY = "core/serving/repository/"
FOLDERS = [REPOSITORY, "core/serving/admission/", "core/serving/batching/", "core/serving/environment/", "server/protocols/grpc/"]

# (name, file, the code, the code with the fault). The code occurs once in its file. Several places are lists.
FAULTS = [
    # Faults that users met.
    ("captures do not reach importers", REPOSITORY + "repository_captures.cc",
     ["change->importers = ImportersOf({change->expected->name(), change->expected->version()});",
      "const bool includes_importers = captures_bytes.has_value();", "++captures_revisions_;"],
     ["change->importers.clear();", "const bool includes_importers = false;", "0;"]),
    ("bad settings of a new model are ignored", REPOSITORY + "repository_scans.cc",
     "if (is_first) entry.has_good_settings = false;", ""),
    ("health does not return after the last model", "server/protocols/grpc/health.cc",
     "if (!is_ready_ || !is_available) UpdateServer().IgnoreError();",
     "if (!was_ready_ || !is_available) UpdateServer().IgnoreError();"),
    ("a load does not look at the directory", REPOSITORY + "repository_admin.cc",
     "  Examine(model);\n  Changes changes;\n  bool has_changed = false;", "  Changes changes;\n  bool has_changed = false;"),
    ("a rollback leaves a gap", REPOSITORY + "repository_changes.cc",
     "if (!version.is_found && version.override != Override::kUnloaded && is_next_missing) {",
     "if (false) {"),
    ("a root that is a link is not examined again", REPOSITORY + "folder_scanner.cc",
     "for (auto& [name, known] : known_) known.quick = {};", ""),
    # Faults that the simulator found.
    ("a version that is not loaded has the progress of a load", REPOSITORY + "repository_changes.cc",
     "if (state != State::kLoading && !version.is_loading) version.status.progress.clear();", ""),
    ("health does not follow versions that are loaded on demand", REPOSITORY + "repository_changes.cc",
     "if (version.status.is_servable() != was_servable) changes.models.push_back(name);", ""),
    ("a waiter is lost if the directory of its version disappears", REPOSITORY + "repository_changes.cc",
     "(version.is_found && AwaitsImport({name, number}, version));", "AwaitsImport({name, number}, version);"),
    ("a load waits for an import that is never loaded", REPOSITORY + "repository_imports.cc",
     "SelectedVersions(*import.entry).contains(import.key.second)", "true"),
    ("new files wait for what the old ones imported", REPOSITORY + "repository_imports.cc",
     "if (!version.tried.HasSameFiles(version.stamp)) return std::nullopt;", ""),
    ("files that were away for a moment are never loaded", REPOSITORY + "repository_loads.cc",
     "version->may_retry = version->failures == 0 || job.files_changed ||", "version->may_retry ="),
    ("replaced captures exceed the memory", REPOSITORY + "repository_captures.cc",
     "if (!captures_bytes) memory_bytes_ += bytes;", "memory_bytes_ += bytes;"),
    # Planted faults.
    ("a replaced version is retired before the new one is published", REPOSITORY + "repository_changes.cc",
     "policy.has_newest() ? kept < static_cast<size_t>(policy.newest().count()) : !has_selected;", "false;"),
    ("a label moves to a version that is not loaded", REPOSITORY + "repository_changes.cc",
     "if (!entry.admin_labels.contains(label) && is_servable(number)) {", "if (!entry.admin_labels.contains(label)) {"),
    ("waiters are forgotten", REPOSITORY + "repository_changes.cc",
     "for (auto& waiter : version.waiters) changes.done.emplace_back(std::move(waiter), outcome);", ""),
    ("a change of state is not announced", REPOSITORY + "repository_changes.cc",
     "if (has_changed && !stays_servable) changes.models.push_back(name);", ""),
    ("memory of a failed load is not returned", REPOSITORY + "repository_loads.cc",
     "if (!is_published) memory_bytes_ -= job.bytes;", ""),
    ("files that change during a load are not noticed", REPOSITORY + "repository_loads.cc",
     'return FailedPrecondition("the files changed while they were loaded");', ""),
    ("a load that failed is never repeated", REPOSITORY + "repository_changes.cc",
     "if (timers_.Now() >= version.retry_at) return true;", ""),
    ("the second examination is skipped", REPOSITORY + "folder_scanner.cc",
     "known.model.is_stable = now - known.time >= settling_time_;", "known.model.is_stable = true;"),
    ("the server is ready without a model", "server/protocols/grpc/health.cc",
     "if (missing.size() == found) {", "if (false) {"),
    ("expired tasks wait for a thread", "core/serving/admission/scheduler.cc",
     "queues_.Expire(timers_.Now(), to_reject_);", ""),
    ("a limit of the queue is exceeded", "core/serving/admission/call_queues.cc",
     "if (queued_calls_ + static_cast<int64_t>(elsewhere) >= options_.max_calls) {", "if (false) {"),
    ("a batch that ends does not start the next one", "core/serving/batching/batcher.cc",
     "NoteBatch(time, calls.size());\n    is_next = !waiting_.empty();", "NoteBatch(time, calls.size());"),
    ("waiting calls of a batch have no deadline", "core/serving/batching/batcher.cc",
     "} else if (control.deadline && now >= *control.deadline) {", "} else if (false) {"),
]


def command_of(build, *texts):
    """Returns the last command of the build that contains all of `texts`."""
    lines = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "simulation_test"], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return [line for line in lines if all(text in line for text in texts)][-1]


class Builder:
    """Compiles sources with the options of the build, and links them before the libraries that contain the originals."""

    def __init__(self, build):
        self.build = build
        self.out = build / "mutations"
        self.out.mkdir(exist_ok=True)
        self.compilers = {folder: self._compiler(folder) for folder in FOLDERS}
        link = command_of(build, "-o tests/simulation_test")
        self.link = link[link.index("/usr/bin"):].split(" && ")[0]

    def _compiler(self, folder):
        library = "signet_" + folder.strip("/").replace("/", "_")
        words = command_of(self.build, f"CMakeFiles/{library}.dir/Unity", " -c ").split()
        return " ".join(words[:words.index("-o")]).replace(" -MD", "").split(" -MT ")[0]

    def compile(self, file, text=None):
        """Compiles a source, or a text in its place. Returns the object."""
        source = ROOT / file
        target = self.out / file.replace("/", "_").replace(".cc", ".o")
        if text is not None:
            source = self.out / ("fault_" + pathlib.Path(file).name)
            source.write_text(text)
            target = self.out / "fault.o"
        command = f"{self.compilers[os.path.dirname(file) + '/']} -O1 -w -o {target} -c {source}"
        subprocess.run(command, shell=True, cwd=self.build, check=True)
        return target

    def program(self, objects):
        target = self.out / "simulation"
        command = self.link.replace("-o tests/simulation_test", " ".join(map(str, objects)) + f" -o {target}")
        subprocess.run(command, shell=True, cwd=self.build, check=True)
        return target


def seconds_to_find(program, limit):
    """Returns after how many seconds the simulator fails, or None."""
    started = time.monotonic()
    run = subprocess.run([str(program)], env={**os.environ, "SIGNET_SIMULATE_SECONDS": str(limit), "SIGNET_SHRINK": "0"}, cwd=ROOT,
                         capture_output=True, text=True)
    if run.returncode == 0:
        return None
    lines = [line for line in run.stdout.splitlines() if ": " in line and not line.startswith(("[", "Running"))]
    return time.monotonic() - started, next((line for line in lines[1:] if not line.startswith("SIGNET_SEED")), "crash")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    builder = Builder(build)
    files = [str(path.relative_to(ROOT)) for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.cc"))]
    objects = {file: builder.compile(file) for file in files}
    missed = 0
    wanted = sys.argv[3:]
    for name, file, code, fault in FAULTS:
        if wanted and not any(part in name for part in wanted):
            continue
        text = (ROOT / file).read_text()
        for before, after in zip(code, fault) if isinstance(code, list) else [(code, fault)]:
            if text.count(before) != 1:
                sys.exit(f"{file}: expected the code of `{name}` once, found it {text.count(before)} times")
            text = text.replace(before, after)
        mutated = builder.compile(file, text)
        found = seconds_to_find(builder.program([mutated if each == file else object for each, object in objects.items()]), limit)
        missed += found is None
        print(f"{name}: " + (f"found after {found[0]:.1f} s: {found[1][:150]}" if found else f"not found in {limit} s"), flush=True)
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
