#!/usr/bin/env python3
"""Makes recipes.json: 120 recipes with ingredients, steps, and ratings, which are the same each time.

    python3 examples/recipes/make_recipes.py            writes recipes.json next to this file
    python3 examples/recipes/make_recipes.py --check    fails if recipes.json differs

A dish below is a recipe with choices: each choice replaces `{}` in its title and steps, and adds its ingredients.
Raters like recipes with ingredients of their taste, which ingredients.txt states, so that a model can learn from the
ratings.
"""

import json
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
SEED = 20190910
COUNT = 120

# Title, minutes, choices, ingredients (amount, unit, name), steps. A choice is a word in the title and the
# ingredients that it brings, each (amount, unit, name).
DISHES = [
    ("Roast Chicken with {}", 75, [
        ("Lemon and Thyme", [(1, "", "lemon"), (4, "sprigs", "thyme")]),
        ("Orange and Fennel", [(1, "", "orange"), (1, "", "fennel")]),
        ("Harissa Carrots", [(2, "tbsp", "harissa"), (500, "g", "carrots")]),
        ("Honey and Mustard", [(2, "tbsp", "honey"), (1, "tbsp", "mustard")]),
        ("Sage and Leeks", [(8, "leaves", "sage"), (3, "", "leeks")])],
     [(1200, "g", "chicken thighs"), (2, "tbsp", "olive oil"), (4, "cloves", "garlic"), (600, "g", "potatoes")],
     ["Heat the oven to 200 C.",
      "Toss the chicken and the potatoes with oil, crushed garlic and plenty of salt.",
      "Spread everything in a tin with the {}.",
      "Roast for 50 minutes, turning the potatoes once.",
      "Let it rest for 10 minutes and spoon the juices over."]),
    ("Spaghetti with {}", 25, [
        ("Anchovies and Breadcrumbs", [(6, "fillets", "anchovies"), (60, "g", "breadcrumbs"), (1, "tsp", "chili flakes")]),
        ("Tomatoes and Basil", [(400, "g", "tomatoes"), (1, "bunch", "basil"), (50, "g", "parmesan")]),
        ("Pancetta and Eggs", [(120, "g", "pancetta"), (3, "", "eggs"), (60, "g", "parmesan")]),
        ("Mussels and White Wine", [(1, "kg", "mussels"), (150, "ml", "white wine"), (1, "bunch", "parsley")]),
        ("Zucchini and Ricotta", [(3, "", "zucchini"), (200, "g", "ricotta"), (1, "", "lemon")]),
        ("Tuna, Olives and Capers", [(200, "g", "tuna"), (60, "g", "olives"), (2, "tbsp", "capers")])],
     [(400, "g", "spaghetti"), (3, "tbsp", "olive oil"), (3, "cloves", "garlic")],
     ["Boil the spaghetti in well salted water until just short of done.",
      "Meanwhile warm the oil with the sliced garlic, and cook the {} in it.",
      "Toss the spaghetti in the pan with a ladle of its water until glossy."]),
    ("{} Curry", 45, [
        ("Chickpea and Spinach", [(480, "g", "chickpeas"), (300, "g", "spinach")]),
        ("Sweet Potato and Peanut", [(700, "g", "sweet potatoes"), (4, "tbsp", "peanut butter")]),
        ("Prawn and Mango", [(400, "g", "prawns"), (1, "", "mango")]),
        ("Cauliflower and Pea", [(1, "", "cauliflower"), (200, "g", "peas")]),
        ("Chicken and Coriander", [(600, "g", "chicken thighs"), (1, "bunch", "coriander")]),
        ("Pumpkin and Tofu", [(600, "g", "pumpkin"), (300, "g", "tofu")]),
        ("Lamb and Potato", [(700, "g", "lamb shoulder"), (400, "g", "potatoes")])],
     [(1, "", "onion"), (20, "g", "ginger"), (3, "cloves", "garlic"), (2, "tbsp", "curry powder"), (400, "ml", "coconut milk")],
     ["Cook the chopped onion slowly until golden.",
      "Add ginger, garlic and curry powder and stir until it smells sweet.",
      "Add the {} and the coconut milk and simmer until tender.",
      "Season with salt and serve with rice."]),
    ("{} Soup", 40, [
        ("Leek and Potato", [(3, "", "leeks"), (500, "g", "potatoes"), (100, "ml", "cream")]),
        ("Red Lentil and Lemon", [(250, "g", "red lentils"), (1, "", "lemon"), (1, "tsp", "cumin")]),
        ("Roast Tomato", [(1, "kg", "tomatoes"), (1, "bunch", "basil")]),
        ("Pumpkin and Ginger", [(900, "g", "pumpkin"), (30, "g", "ginger")]),
        ("White Bean and Kale", [(480, "g", "white beans"), (200, "g", "kale"), (1, "sprig", "rosemary")]),
        ("Carrot and Orange", [(800, "g", "carrots"), (2, "", "orange"), (1, "tsp", "coriander")]),
        ("Mushroom and Thyme", [(500, "g", "chestnut mushrooms"), (4, "sprigs", "thyme"), (100, "ml", "cream")]),
        ("Pea and Mint", [(600, "g", "peas"), (1, "bunch", "mint"), (3, "tbsp", "sour cream")])],
     [(1, "", "onion"), (2, "stalks", "celery"), (1, "l", "vegetable stock"), (30, "g", "butter")],
     ["Soften the onion and celery in the butter without coloring them.",
      "Add the {} and the stock, and simmer for 25 minutes.",
      "Blend until smooth, or leave it as it is, and season."]),
    ("{} Tacos", 35, [
        ("Chipotle Beef", [(500, "g", "ground beef"), (2, "tbsp", "chipotle in adobo")]),
        ("Pulled Pork", [(800, "g", "pork shoulder"), (1, "", "orange"), (1, "tsp", "cumin")]),
        ("Crisp Cod", [(500, "g", "cod"), (100, "g", "flour"), (150, "g", "cabbage")]),
        ("Black Bean and Sweet Potato", [(400, "g", "black beans"), (500, "g", "sweet potatoes")]),
        ("Chorizo and Potato", [(250, "g", "chorizo"), (400, "g", "potatoes")])],
     [(12, "", "tortillas"), (1, "", "avocado"), (2, "", "lime"), (1, "bunch", "coriander"), (4, "tbsp", "sour cream")],
     ["Cook the {} with a pinch of salt until browned at the edges.",
      "Warm the tortillas in a dry pan.",
      "Mash the avocado with lime.",
      "Fill the tortillas and finish with coriander and sour cream."]),
    ("{} Risotto", 40, [
        ("Mushroom", [(400, "g", "chestnut mushrooms"), (3, "sprigs", "thyme")]),
        ("Lemon and Pea", [(1, "", "lemon"), (200, "g", "peas"), (1, "bunch", "mint")]),
        ("Pumpkin and Sage", [(500, "g", "pumpkin"), (10, "leaves", "sage")]),
        ("Prawn and Fennel", [(300, "g", "prawns"), (1, "", "fennel")]),
        ("Leek and Goat Cheese", [(3, "", "leeks"), (120, "g", "goat cheese")])],
     [(320, "g", "arborio rice"), (2, "", "shallots"), (120, "ml", "white wine"), (1, "l", "vegetable stock"),
      (60, "g", "parmesan"), (40, "g", "butter")],
     ["Soften the shallots in half of the butter, add the rice and stir until it shines.",
      "Pour in the wine and let it boil away.",
      "Add hot stock a ladle at a time, stirring, for 18 minutes.",
      "Stir in the {}, and cook until done.",
      "Take it off the heat and beat in the rest of the butter and the parmesan."]),
    ("{} Salad", 15, [
        ("Greek", [(3, "", "tomatoes"), (1, "", "cucumber"), (150, "g", "feta"), (80, "g", "olives")]),
        ("Pear and Walnut", [(2, "", "pears"), (60, "g", "walnuts"), (100, "g", "goat cheese")]),
        ("Quinoa and Avocado", [(200, "g", "quinoa"), (2, "", "avocado"), (1, "bunch", "coriander")]),
        ("Fennel and Orange", [(2, "", "fennel"), (2, "", "orange"), (40, "g", "olives")]),
        ("Warm Lentil", [(250, "g", "lentils"), (150, "g", "feta"), (2, "", "carrots")]),
        ("Couscous and Mint", [(200, "g", "couscous"), (1, "bunch", "mint"), (60, "g", "raisins")]),
        ("Tuna and White Bean", [(200, "g", "tuna"), (400, "g", "white beans"), (1, "bunch", "parsley")])],
     [(3, "tbsp", "olive oil"), (1, "tbsp", "sherry vinegar"), (1, "tsp", "mustard")],
     ["Whisk the oil, vinegar and mustard with a pinch of salt.",
      "Put everything for the {} salad in a wide bowl and dress it at the last moment."]),
    ("{} Stew", 150, [
        ("Beef and Red Wine", [(1000, "g", "beef chuck"), (400, "ml", "red wine"), (150, "g", "bacon")]),
        ("Lamb and Raisin", [(900, "g", "lamb shoulder"), (80, "g", "raisins"), (1, "tsp", "cinnamon")]),
        ("Pork, Cider Apple and Sage", [(900, "g", "pork shoulder"), (3, "", "apples"), (8, "leaves", "sage")]),
        ("Sausage and White Bean", [(6, "", "sausages"), (480, "g", "white beans"), (1, "tsp", "smoked paprika")]),
        ("Eggplant and Chickpea", [(3, "", "eggplant"), (480, "g", "chickpeas"), (1, "tsp", "cumin")])],
     [(2, "", "onion"), (3, "", "carrots"), (2, "tbsp", "tomato paste"), (500, "ml", "beef stock"), (2, "", "bay leaf")],
     ["Brown what is to be browned in batches; do not crowd the pot.",
      "Soften the onions and carrots in the same pot and fry the tomato paste for a minute.",
      "Return everything for the {} stew to the pot with stock and bay leaf.",
      "Cover and cook at the barest simmer for two hours.",
      "Skim, season, and leave it until tomorrow if you can."]),
    ("{} Stir-Fry", 20, [
        ("Tofu and Broccoli", [(400, "g", "tofu"), (1, "", "broccoli")]),
        ("Beef and Bell Pepper", [(400, "g", "beef chuck"), (2, "", "bell pepper")]),
        ("Chicken and Cabbage", [(400, "g", "chicken breast"), (300, "g", "cabbage")]),
        ("Prawn and Green Bean", [(350, "g", "prawns"), (250, "g", "green beans")]),
        ("Egg Noodle and Bean Sprout", [(300, "g", "egg noodles"), (200, "g", "bean sprouts")])],
     [(2, "tbsp", "soy sauce"), (1, "tbsp", "sesame oil"), (20, "g", "ginger"), (3, "cloves", "garlic"), (4, "", "scallions")],
     ["Have everything cut and next to the stove before you start.",
      "Heat a wok until it smokes, and fry the {} in two batches.",
      "Add ginger, garlic and scallions, then soy sauce, and toss for a minute.",
      "Finish with sesame oil."]),
    ("{} Omelette", 10, [
        ("Cheddar and Ham", [(60, "g", "cheddar"), (80, "g", "ham")]),
        ("Mushroom and Parsley", [(150, "g", "chestnut mushrooms"), (1, "bunch", "parsley")]),
        ("Spinach and Feta", [(150, "g", "spinach"), (80, "g", "feta")]),
        ("Dill and Salmon", [(80, "g", "salmon"), (1, "bunch", "dill")])],
     [(3, "", "eggs"), (20, "g", "butter")],
     ["Beat the eggs briefly with salt.",
      "Melt the butter until it stops foaming, pour in the eggs and draw them to the middle.",
      "Add the {} while the top is still wet, fold, and turn out."]),
    ("{} Pancakes", 30, [
        ("Blueberry", [(200, "g", "blueberries")]),
        ("Banana and Oat", [(2, "", "bananas"), (80, "g", "oats")]),
        ("Buttermilk", [(300, "ml", "buttermilk")]),
        ("Ricotta and Lemon", [(200, "g", "ricotta"), (1, "", "lemon")]),
        ("Apple and Cinnamon", [(2, "", "apples"), (1, "tsp", "cinnamon")])],
     [(200, "g", "flour"), (2, "", "eggs"), (250, "ml", "milk"), (2, "tsp", "baking powder"), (3, "tbsp", "maple syrup")],
     ["Whisk flour, baking powder and a pinch of salt; beat in eggs and milk until just mixed.",
      "Fold in what makes them {} pancakes.",
      "Fry spoonfuls over medium heat, turning when bubbles burst.",
      "Serve with maple syrup."]),
    ("{} Cake", 70, [
        ("Chocolate and Hazelnut", [(200, "g", "dark chocolate"), (150, "g", "hazelnuts")]),
        ("Lemon and Almond", [(2, "", "lemon"), (150, "g", "almonds")]),
        ("Carrot and Walnut", [(300, "g", "carrots"), (100, "g", "walnuts"), (1, "tsp", "cinnamon")]),
        ("Banana", [(3, "", "bananas"), (1, "tsp", "vanilla")]),
        ("Orange and Cardamom", [(2, "", "orange"), (1, "tsp", "cardamom")]),
        ("Raspberry and Yogurt", [(250, "g", "raspberries"), (200, "g", "yogurt")])],
     [(200, "g", "flour"), (180, "g", "sugar"), (180, "g", "butter"), (3, "", "eggs"), (2, "tsp", "baking powder")],
     ["Heat the oven to 175 C and butter a tin.",
      "Beat butter and sugar until pale, then the eggs, one by one.",
      "Fold in flour, baking powder and all that makes it a {} cake.",
      "Bake for 45 minutes, until a skewer comes out clean.",
      "Cool in the tin."]),
    ("{} Crumble", 55, [
        ("Apple and Raspberry", [(5, "", "apples"), (200, "g", "raspberries")]),
        ("Pear and Ginger", [(5, "", "pears"), (20, "g", "ginger")]),
        ("Strawberry and Orange", [(600, "g", "strawberries"), (1, "", "orange")]),
        ("Blueberry and Lemon", [(500, "g", "blueberries"), (1, "", "lemon")])],
     [(150, "g", "flour"), (80, "g", "oats"), (120, "g", "butter"), (100, "g", "brown sugar")],
     ["Heat the oven to 180 C.",
      "Rub the butter into flour, oats and sugar.",
      "Put the {} in a dish, cover with the crumble, and bake until it bubbles at the edges."]),
    ("{} Tart", 80, [
        ("Tomato and Mustard", [(600, "g", "tomatoes"), (2, "tbsp", "mustard"), (100, "g", "goat cheese")]),
        ("Leek and Bacon", [(4, "", "leeks"), (150, "g", "bacon"), (200, "ml", "cream")]),
        ("Caramelized Onion", [(6, "", "onion"), (3, "sprigs", "thyme"), (8, "fillets", "anchovies")]),
        ("Chocolate", [(250, "g", "dark chocolate"), (200, "ml", "cream"), (50, "g", "sugar")]),
        ("Pear and Almond", [(4, "", "pears"), (150, "g", "almonds"), (100, "g", "sugar")])],
     [(220, "g", "flour"), (120, "g", "butter"), (1, "", "eggs")],
     ["Rub the butter into the flour, bind with the egg, and chill for half an hour.",
      "Roll out, line a tin, and bake blind at 190 C for 15 minutes.",
      "Fill with the {} and bake for another 30."]),
    ("Baked {}", 45, [
        ("Salmon with Dill", [(600, "g", "salmon"), (1, "bunch", "dill"), (1, "", "lemon")]),
        ("Cod with Tomatoes and Olives", [(600, "g", "cod"), (400, "g", "tomatoes"), (80, "g", "olives")]),
        ("Sweet Potatoes with Tahini", [(4, "", "sweet potatoes"), (4, "tbsp", "tahini"), (3, "tbsp", "yogurt")]),
        ("Eggplant with Mozzarella", [(3, "", "eggplant"), (250, "g", "mozzarella"), (400, "g", "tomatoes")]),
        ("Sausages with Apples and Onions", [(8, "", "sausages"), (3, "", "apples"), (2, "", "onion")])],
     [(3, "tbsp", "olive oil"), (2, "cloves", "garlic")],
     ["Heat the oven to 190 C.",
      "Oil a dish, scatter the garlic, and lay the {} in it.",
      "Bake until done, basting once."]),
    ("{} Noodles", 25, [
        ("Peanut and Lime", [(4, "tbsp", "peanut butter"), (2, "", "lime"), (50, "g", "peanuts")]),
        ("Tamarind and Prawn", [(2, "tbsp", "tamarind"), (300, "g", "prawns"), (2, "tbsp", "fish sauce")]),
        ("Miso and Mushroom", [(3, "tbsp", "miso"), (300, "g", "chestnut mushrooms")]),
        ("Sesame and Cucumber", [(2, "tbsp", "sesame oil"), (2, "", "cucumber"), (2, "tbsp", "tahini")])],
     [(300, "g", "rice noodles"), (4, "", "scallions"), (2, "tbsp", "soy sauce"), (1, "tsp", "chili flakes")],
     ["Soak the noodles in hot water until soft, and drain.",
      "Stir together what goes into the {} sauce.",
      "Toss with the noodles and scallions over high heat for two minutes."]),
    ("{} Pilaf", 35, [
        ("Lentil and Onion", [(200, "g", "lentils"), (3, "", "onion")]),
        ("Almond and Raisin", [(60, "g", "almonds"), (60, "g", "raisins"), (1, "tsp", "cinnamon")]),
        ("Turmeric and Pea", [(1, "tsp", "turmeric"), (200, "g", "peas")]),
        ("Lamb and Carrot", [(500, "g", "lamb shoulder"), (3, "", "carrots"), (1, "tsp", "cumin")])],
     [(300, "g", "rice"), (40, "g", "butter"), (500, "ml", "chicken stock"), (1, "", "bay leaf")],
     ["Rinse the rice until the water runs clear.",
      "Fry the {} in butter, add the rice and stir.",
      "Pour in the stock, cover tightly, and cook on the lowest heat for 17 minutes.",
      "Leave it covered for 10 more."]),
    ("{} Frittata", 30, [
        ("Potato and Chorizo", [(400, "g", "potatoes"), (120, "g", "chorizo")]),
        ("Zucchini and Mint", [(2, "", "zucchini"), (1, "bunch", "mint")]),
        ("Bell Pepper and Goat Cheese", [(2, "", "bell pepper"), (100, "g", "goat cheese")]),
        ("Broccoli and Cheddar", [(1, "", "broccoli"), (100, "g", "cheddar")])],
     [(6, "", "eggs"), (2, "tbsp", "olive oil"), (1, "", "onion")],
     ["Cook the onion and the {} gently in oil until soft.",
      "Pour over the beaten eggs and cook until set underneath.",
      "Finish under the grill."]),
    ("{} Burgers", 30, [
        ("Beef and Cheddar", [(500, "g", "ground beef"), (100, "g", "cheddar")]),
        ("Black Bean", [(400, "g", "black beans"), (1, "tsp", "smoked paprika")]),
        ("Lamb and Feta", [(500, "g", "lamb shoulder"), (100, "g", "feta"), (1, "bunch", "mint")]),
        ("Salmon and Ginger", [(500, "g", "salmon"), (20, "g", "ginger"), (1, "tbsp", "soy sauce")])],
     [(60, "g", "breadcrumbs"), (1, "", "eggs"), (1, "", "shallots")],
     ["Mix everything by hand, not too long, and shape four patties.",
      "Fry the {} burgers over high heat, three minutes a side."]),
    ("{} Porridge", 12, [
        ("Pear and Maple", [(1, "", "pears"), (2, "tbsp", "maple syrup")]),
        ("Banana and Peanut", [(1, "", "bananas"), (1, "tbsp", "peanut butter")]),
        ("Cocoa and Raspberry", [(1, "tbsp", "cocoa powder"), (80, "g", "raspberries")]),
        ("Apple and Walnut", [(1, "", "apples"), (30, "g", "walnuts"), (1, "tsp", "cinnamon")])],
     [(80, "g", "oats"), (300, "ml", "milk")],
     ["Simmer the oats in the milk with a pinch of salt, stirring.",
      "Top with {}."]),
    ("{} Meatballs", 50, [
        ("Beef and Parmesan", [(500, "g", "ground beef"), (60, "g", "parmesan"), (400, "g", "tomatoes")]),
        ("Lamb and Harissa", [(500, "g", "lamb shoulder"), (2, "tbsp", "harissa"), (4, "tbsp", "yogurt")]),
        ("Chicken and Lemon", [(500, "g", "chicken breast"), (1, "", "lemon"), (1, "bunch", "dill")]),
        ("Pork and Fennel", [(500, "g", "pork shoulder"), (1, "", "fennel"), (150, "ml", "white wine")])],
     [(60, "g", "breadcrumbs"), (1, "", "eggs"), (2, "cloves", "garlic"), (1, "bunch", "parsley")],
     ["Soak the breadcrumbs in a little milk or water.",
      "Knead with the rest, roll small {} meatballs and brown them on all sides.",
      "Simmer gently until cooked through."]),
    ("{} Toast", 8, [
        ("Avocado and Lime", [(1, "", "avocado"), (0.5, "", "lime"), (0.5, "tsp", "chili flakes")]),
        ("Ricotta and Honey", [(80, "g", "ricotta"), (1, "tbsp", "honey"), (10, "g", "pine nuts")]),
        ("Mushroom and Garlic", [(150, "g", "chestnut mushrooms"), (1, "clove", "garlic"), (10, "g", "butter")]),
        ("Tomato and Anchovy", [(2, "", "tomatoes"), (4, "fillets", "anchovies"), (1, "tbsp", "olive oil")])],
     [(2, "slices", "sourdough bread")],
     ["Toast the bread well.", "Pile on the {}."]),
    ("{} Dip", 15, [
        ("Chickpea and Tahini", [(480, "g", "chickpeas"), (4, "tbsp", "tahini")]),
        ("White Bean and Rosemary", [(480, "g", "white beans"), (1, "sprig", "rosemary")]),
        ("Smoked Eggplant", [(2, "", "eggplant"), (1, "tsp", "smoked paprika")]),
        ("Feta and Bell Pepper", [(200, "g", "feta"), (2, "", "bell pepper"), (1, "tsp", "chili flakes")]),
        ("Yogurt and Cucumber", [(300, "g", "yogurt"), (1, "", "cucumber"), (1, "bunch", "mint")])],
     [(2, "tbsp", "olive oil"), (1, "", "lemon"), (1, "clove", "garlic")],
     ["Crush the garlic with salt.",
      "Blend or mash the {} with garlic, lemon and half of the oil.",
      "Spread on a plate and pour the rest of the oil over."]),
    ("{} Ice Cream", 240, [
        ("Vanilla", [(1, "pod", "vanilla")]),
        ("Strawberry", [(400, "g", "strawberries")]),
        ("Hazelnut", [(150, "g", "hazelnuts")]),
        ("Dark Chocolate", [(150, "g", "dark chocolate"), (2, "tbsp", "cocoa powder")]),
        ("Mango and Lime", [(2, "", "mango"), (1, "", "lime")])],
     [(400, "ml", "cream"), (200, "ml", "milk"), (120, "g", "sugar"), (4, "", "eggs")],
     ["Heat cream and milk to just below boiling.",
      "Whisk it into yolks and sugar, and thicken over low heat without letting it boil.",
      "Stir in the {} flavor and chill.",
      "Freeze, stirring every half hour."]),
]


class Dice:
    """Random numbers that are the same in every version of Python."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def below(self, n):
        return int(self.random() * n)

    def between(self, low, high):
        return low + (high - low) * self.random()


def read_tastes():
    tastes, embeddings = [], {}
    for line in (HERE / "ingredients.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, words = line.split(": ")
        if name == "tastes":
            tastes = words.split()
        else:
            embeddings[name] = [1.0 if taste in words.split() else 0.0 for taste in tastes]
    return tastes, embeddings


def recipe_taste(ingredients, embeddings, size):
    known = [embeddings[i["name"]] for i in ingredients if i["name"] in embeddings]
    return [sum(column) / max(len(known), 1) for column in zip(*known)] if known else [0.0] * size


def make_ratings(dice, taste):
    ratings = []
    for _ in range(dice.below(7)):
        rater = [round(max(-1.0, min(1.0, dice.between(-0.8, 0.8))), 2) for _ in taste]
        liking = 3.2 + 1.6 * sum(a * b for a, b in zip(rater, taste)) + dice.between(-0.7, 0.7)
        ratings.append({"user_embedding": rater, "score": max(1.0, min(5.0, round(liking * 2) / 2))})
    return ratings


def make_recipe(dice, dish, choice, embeddings, tastes):
    title, minutes, _, common, steps = dish
    word, special = choice
    ingredients = [{"amount": float(amount), "unit": unit, "name": name} for amount, unit, name in special + common]
    return {
        "title": title.format(word),
        "estimated_time": max(5, 5 * round((minutes * dice.between(0.85, 1.2)) / 5)),
        "ingredients": ingredients,
        "steps": [{"description": step.format(word.lower())} for step in steps],
        "user_ratings": make_ratings(dice, recipe_taste(ingredients, embeddings, len(tastes))),
    }


def make_recipes():
    dice = Dice(SEED)
    tastes, embeddings = read_tastes()
    recipes = [make_recipe(dice, dish, choice, embeddings, tastes) for dish in DISHES for choice in dish[2]]
    for i in range(len(recipes) - 1, 0, -1):  # shuffle
        j = dice.below(i + 1)
        recipes[i], recipes[j] = recipes[j], recipes[i]
    assert len(recipes) >= COUNT, len(recipes)
    return recipes[:COUNT]


def to_text(recipes):
    lines = ",\n".join(json.dumps(recipe) for recipe in recipes)
    return f"[\n{lines}\n]\n"


def main():
    text = to_text(make_recipes())
    path = HERE / "recipes.json"
    if "--check" in sys.argv:
        sys.exit(0 if path.read_text() == text else "recipes.json is not what make_recipes.py makes")
    path.write_text(text)
    print(f"{path.name}: {COUNT} recipes, {len(text)} bytes")


if __name__ == "__main__":
    main()
