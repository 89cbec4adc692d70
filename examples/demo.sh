#!/bin/sh
# The calls of `./dev demo`: a tour of a server that serves examples/models, at SIGNET_ADDRESS.
# Run from the project's root, with `signet` in the PATH.

set -eu
cd "$(dirname "$0")/.."

say() { printf '\n# %s\n' "$*"; }

# run COMMAND: prints a command line and runs it.
run() {
  printf '$ %s\n' "$1"
  eval "$1"
}

# rejected COMMAND: prints and runs a command that the server must reject.
rejected() {
  printf '$ %s\n' "$1"
  if eval "$1" 2>&1; then
    echo "demo: that should have been rejected" >&2
    exit 1
  fi
}

say "The models that are served."
run "signet list"

say "A function that receives a tensor and returns one."
run "signet call half_plus_two predict '[1.0, 2.0, 5.0]'"

say "A function has a signature, as in Python. This one receives recipes as records that contain lists."
run "signet describe recipes"

say "The best three of 120 recipes, for a user who likes sweet food."
run "signet call recipes best @examples/recipes/recipes.json @examples/recipes/sweet_tooth.json --table"

say "The best five of the same recipes, for a user who likes heat. A plain value such as count selects a concrete function."
run "signet call recipes best @examples/recipes/recipes.json @examples/recipes/likes_heat.json count=5 --table"

say "One recipe in a file. The result lists the ingredients that mattered; the length of the list may differ per recipe."
run "cat examples/recipes/toast.json"
run "signet call recipes score @examples/recipes/toast.json @examples/recipes/sweet_tooth.json top_k=2 temperature=0.5"

say "Variadic parameters, and a branch that a plain value selects when the function is compiled."
run "signet call text topics '[\"butter\", \"goal\", \"oven\"]' 'first draft' shares=False source=menu"

say "A model that a training framework exported: a file model.onnx. Its inputs are parameters, and the wind has a default."
run "signet describe weather"
run "signet call weather main '[31, 8]' '[0.6, 0.5]'"
run "signet call weather main '[31, 8]' '[0.6, 0.5]' wind=5"

say "The error of a call that does not fit states what was expected, what was found, and what would work."
rejected "signet call recipes score @examples/recipes/toast.json '[0.5, 0.5]'"
rejected "signet call recipes score @examples/recipes/toast.json @examples/recipes/sweet_tooth.json temprature=2"

say "Explain binds the arguments and selects the concrete function, but does not run it."
run "signet explain recipes score @examples/recipes/toast.json @examples/recipes/sweet_tooth.json temperature=2"
