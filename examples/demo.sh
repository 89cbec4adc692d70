#!/bin/sh
# What `./dev demo` runs: a tour of a server that serves examples/models, at SIGNET_ADDRESS.
# Run from the project's root, with `signet` in the PATH.

set -eu
cd "$(dirname "$0")/.."

say() { printf '\n# %s\n' "$*"; }

# run COMMAND: prints a command line and runs it.
run() {
  printf '$ %s\n' "$1"
  eval "$1"
}

# rejected COMMAND: the same for one that is meant to be rejected.
rejected() {
  printf '$ %s\n' "$1"
  if eval "$1" 2>&1; then
    echo "demo: that should have been rejected" >&2
    exit 1
  fi
}

say "The models that are served."
run "signet list"

say "A tensor in, a tensor out."
run "signet call half_plus_two predict '[1.0, 2.0, 5.0]'"

say "A function has a signature, as in Python. This one takes recipes as they are: records with lists in them."
run "signet describe recipes"

say "120 recipes, scored for somebody with a sweet tooth; the best three."
run "signet call recipes best @examples/recipes/recipes.json @examples/recipes/sweet_tooth.json --table"

say "The same recipes for somebody who likes heat, with more of them. Literals such as count choose a concrete function."
run "signet call recipes best @examples/recipes/recipes.json @examples/recipes/likes_heat.json count=5 --table"

say "One recipe by hand: each has a list of its own length of the ingredients that mattered."
run "cat examples/recipes/toast.json"
run "signet call recipes score @examples/recipes/toast.json @examples/recipes/sweet_tooth.json top_k=2 temperature=0.5"

say "Variadic parameters, and a branch that a plain value decides before anything runs."
run "signet call text topics '[\"butter\", \"goal\", \"oven\"]' 'first draft' shares=False source=menu"

say "A model that a training framework exported: model.onnx in a folder. Its inputs are parameters; the wind has a default."
run "signet describe weather"
run "signet call weather main '[31, 8]' '[0.6, 0.5]'"
run "signet call weather main '[31, 8]' '[0.6, 0.5]' wind=5"

say "A call that does not fit says what was asked, what was found and what would work."
rejected "signet call recipes score @examples/recipes/toast.json '[0.5, 0.5]'"
rejected "signet call recipes score @examples/recipes/toast.json @examples/recipes/sweet_tooth.json temprature=2"

say "Explain binds and dispatches without running."
run "signet explain recipes score @examples/recipes/toast.json @examples/recipes/sweet_tooth.json temperature=2"
