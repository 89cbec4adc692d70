// Shows a type as a tree, from its JSON schema and its notation.

import {el} from "./dom.js";

function parts(schema) {
  if (schema.properties) return Object.entries(schema.properties).map(([name, one]) => [name, one, (schema.required ?? []).includes(name)]);
  if (schema.prefixItems) return schema.prefixItems.map((one, i) => [String(i), one, true]);
  if (schema.type === "array" && schema.items) return parts(schema.items);
  const inner = schema.anyOf?.find((one) => one.type === "array" || one.properties);
  return inner && schema.anyOf.some((one) => one.type === "null") ? parts(inner) : [];
}

function isText(schema) {
  return schema.anyOf?.[0]?.type === "string";
}

function node(name, schema, required, depth) {
  const children = isText(schema) ? [] : parts(schema).filter(([child]) => child !== "b64");
  const label = [el("span", {class: "name"}, name), " ", el("code", {class: "type"}, schema["x-signet-type"] ?? schema.type ?? "any"), required ? null : el("span", {class: "tag"}, "optional")];
  if (children.length === 0) return el("li", {}, label);
  return el("li", {}, el("details", {open: depth < 3}, el("summary", {}, label), el("ul", {}, children.map(([child, one, is_required]) => node(child, one, is_required, depth + 1)))));
}

// `entries` is [[name, schema, required]].
export function typeTree(label, entries) {
  return el("ul", {class: "tree", "aria-label": label}, entries.map(([name, schema, required]) => node(name, schema, required, 0)));
}
