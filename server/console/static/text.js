// Texts of the server: signatures with line breaks, and documentation with code.

import {el} from "./dom.js";

const LONGEST_LINE = 80;  // characters

// Returns the positions of the commas and of the end of the parameter list that begins at `start`.
function splitParameters(text, start) {
  const commas = [];
  let depth = 0;
  let quote = "";
  for (let i = start; i < text.length; ++i) {
    const c = text[i];
    if (quote) {
      if (c === "\\") ++i;
      else if (c === quote) quote = "";
    } else if (c === '"' || c === "'") {
      quote = c;
    } else if ("([{".includes(c)) {
      ++depth;
    } else if (")]}".includes(c)) {
      --depth;
      if (depth === 0) return {commas, end: i};
    } else if (c === "," && depth === 1) {
      commas.push(i);
    }
  }
  return {commas: [], end: -1};
}

// Returns a long signature with one parameter per line.
export function breakSignature(signature) {
  if (signature.length <= LONGEST_LINE) return signature;
  const start = signature.indexOf("(");
  if (start < 0) return signature;
  const {commas, end} = splitParameters(signature, start);
  if (end < 0) return signature;
  const cuts = [start, ...commas, end];
  const parameters = cuts.slice(1).map((cut, i) => signature.slice(cuts[i] + 1, cut).trim());
  return `${signature.slice(0, start + 1)}\n${parameters.map((one) => `    ${one},\n`).join("")}${signature.slice(end)}`;
}

// Returns the parts of a text in which backticks mark code.
export function prose(text) {
  return text.split(/`([^`]*)`/).map((part, i) => (i % 2 === 1 ? el("code", {}, part) : part));
}
