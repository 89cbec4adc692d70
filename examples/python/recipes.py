"""Scores recipes for a user: the model examples/models/recipes, written in Python.

    python3 examples/python/recipes.py FOLDER

The numbers are not trained. The embedding of an ingredient contains its tastes from ingredients.txt, and a little noise from a fixed
seed, so that the files are the same each time.
"""

import os

import numpy as np
import signet
from signet import ops

RECIPES = ("[{title: string[], estimated_time: int32[], ingredients: [{amount: float32[], unit: string[], name: string[]}], "
           "steps: [{description: string[]}], user_ratings: [{user_embedding: float32[16], score: float32[]}]}]")
SCORED = "[{title: string[], score: float32[], ingredients: [{name: string[], weight: float32[]}]}]"


def read_vocabulary(path):
    """The names of the ingredients, and an embedding of 16 numbers for each."""
    noise = np.random.RandomState(20190910)
    tastes, words, embeddings = [], [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, colon, flavors = line.partition(": ")
            if line.startswith("#") or not colon:
                continue
            if word == "tastes":
                tastes = flavors.split()
                continue
            embedding = (np.frombuffer(noise.bytes(4 * len(tastes)), "<u4") % 1000 / 1000 - 0.5) / 10
            for number, flavor in enumerate(flavors.split()):
                if flavor in tastes:
                    embedding[tastes.index(flavor)] += 1 if number == 0 else 0.6
            words.append(word)
            embeddings.append(embedding / np.sqrt(sum(x * x for x in embedding)))
    return tastes, words, np.float32(embeddings)


TASTES, WORDS, EMBEDDINGS = read_vocabulary(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../recipes/ingredients.txt"))

ingredient_names = signet.capture("ingredient_names", np.array(WORDS, object))
ingredient_embeddings = signet.capture("ingredient_embeddings", EMBEDDINGS)
# The weights of the rating (1 to 5), the appeal, the minutes, and the steps.
feature_weights = signet.capture("feature_weights", np.float32([0.8, 3.0, -0.006, -0.1]))
bias = signet.capture("bias", np.float32(-2.0))


@signet.function(batch=["recipes"])
def score(recipes: RECIPES, user_embedding: "float32[16]", /, top_k=3, *, temperature: "float32[]" = 1.0) -> SCORED:
    """Returns how much a user will like each recipe, and the ingredients that mattered most.
    A score is between 0 and 1. It combines the ratings of users with similar tastes, the tastes of the ingredients, and the effort.

    Args:
        recipes: any number of recipes; ingredients that are not in the vocabulary count as neutral
        user_embedding: the user's tastes, in the order of the metadata entry `tastes`
        top_k: number of ingredients to return per recipe
        temperature: above 0; higher temperatures move scores toward 0.5, and make weights more equal

    Example: '[{"title": "Toast with Honey", "estimated_time": 5, "ingredients": [{"amount": 1, "unit": "tbsp", "name": "honey"}, {"amount": 10, "unit": "g", "name": "butter"}], "steps": [], "user_ratings": []}]' '[0.8, 0, 0, 0, 0, 0, 0.3, 0, 0, 0, 0, 0, 0.2, 0.5, 0, 0]' top_k=2
    Example: @examples/recipes/recipes.json @examples/recipes/sweet_tooth.json top_k=2
    """
    # The ratings of users with similar tastes: their mean, weighted by similarity.
    raters = ops.ragged_values(recipes.user_ratings.user_embedding)
    rating_splits = ops.ragged_row_splits(recipes.user_ratings)
    likeness = raters @ user_embedding
    trust = ops.segment_softmax(likeness, rating_splits)
    ratings = ops.ragged_values(recipes.user_ratings.score)
    opinions = trust * ratings
    opinion = ops.segment_sum(opinions, rating_splits)
    num_ratings = ops.row_lengths(rating_splits)
    is_rated = num_ratings > 0
    rating = ops.select(is_rated, opinion, np.float32(3.0))

    # How much the user likes the tastes of the ingredients.
    tastes = ops.lookup_value(recipes.ingredients.name, ingredient_names, ingredient_embeddings)
    flat_tastes = ops.ragged_values(tastes)
    affinity = flat_tastes @ user_embedding
    ingredient_splits = ops.ragged_row_splits(recipes.ingredients)
    appeal = ops.segment_mean(affinity, ingredient_splits, default=0.0)

    # Minutes and steps, two numbers per recipe.
    minutes = ops.cast(recipes.estimated_time, dtype="float32")
    step_splits = ops.ragged_row_splits(recipes.steps)
    num_steps = ops.row_lengths(step_splits)
    steps = ops.cast(num_steps, dtype="float32")

    features = ops.stack(rating, appeal, minutes, steps, axis=1)
    weighted = features @ feature_weights
    logit = weighted + bias
    tempered = logit / temperature
    score = ops.sigmoid(tempered)

    # The ingredients that mattered most: per recipe, a list of any length.
    tempered_affinity = affinity / temperature
    weights = ops.segment_softmax(tempered_affinity, ingredient_splits)
    weight_rows = ops.ragged_from_row_splits(weights, ingredient_splits)
    weight_lists, best = ops.top_k(weight_rows, k=top_k)
    name_lists = ops.gather(recipes.ingredients.name, best, batch_dims=1)
    ingredients = ops.struct_make(name=name_lists, weight=weight_lists)
    scored = ops.struct_make(title=recipes.title, score=score, ingredients=ingredients)
    return scored


@signet.function
def best(recipes: RECIPES, user_embedding: "float32[16]", /, count=3, *, temperature: "float32[]" = 1.0) -> SCORED:
    """Returns the recipes with the highest scores of `score`, best first.

    Args:
        count: number of recipes to return, at most the number of recipes

    Example: @examples/recipes/recipes.json @examples/recipes/sweet_tooth.json count=5
    """
    scored = score(recipes, user_embedding, temperature=temperature)
    top, order = ops.top_k(scored.score, k=count)
    chosen = ops.gather(scored, order)
    return chosen


model = signet.Model("Scores recipes for a user\nThe recipe task of the StructuredTensor RFC.", score, best,
                     metadata={"tastes": " ".join(TASTES)})

if __name__ == "__main__":
    import sys

    if len(sys.argv) != 2:
        sys.exit("usage: recipes.py FOLDER; saves the model as FOLDER/recipes/1")
    model.save(f"{sys.argv[1]}/recipes/1")
