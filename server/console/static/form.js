// Makes a form from the parameters of a function. Each field returns JSON text, so that 64-bit
// integers stay exact, and text that does not fit is sent to the server, which says what is wrong.

import {el, formatBytes, freshId} from "./dom.js";
import {prose} from "./text.js";

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const WORDS = ["NaN", "Infinity", "-Infinity"];

// Returns the schema without `null` as an alternative.
function withoutNull(schema) {
  if (!schema?.anyOf) return schema ?? {};
  const rest = schema.anyOf.filter((one) => one.type !== "null");
  return rest.length === schema.anyOf.length ? schema : {...rest[0], nullable: true, "x-signet-type": schema["x-signet-type"]};
}

// Returns `number`, `integer`, `text`, `boolean`, `constant`, or nothing for other schemas.
function scalarKind(schema) {
  if ("const" in schema) return "constant";
  if (schema.type === "boolean") return "boolean";
  if (schema.type === "integer") return "integer";
  if (schema.type === "string") return "text";
  const first = schema.anyOf?.[0]?.type;
  if (first === "number" && schema.anyOf[1]?.type === "string") return "number";
  if (first === "string") return "text";
  return undefined;
}

const isRecord = (schema) => schema.type === "object" && schema.properties && !schema.properties.indices;
const isRecordList = (schema) => schema.type === "array" && schema.items && isRecord(schema.items);

function textOf(value) {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

// Returns the JSON text of what a user wrote for a scalar.
function scalarText(kind, written) {
  if (kind === "text") return JSON.stringify(written);
  const text = written.trim();
  if (NUMBER.test(text)) return text;
  if (kind === "boolean" && ["true", "false"].includes(text)) return text;
  if (text === "null") return text;
  return JSON.stringify(WORDS.find((word) => word.toLowerCase() === text.toLowerCase()) ?? text);
}

function jsonText(written) {
  try {
    JSON.parse(written);
    return written.trim();
  } catch {
    return JSON.stringify(written);
  }
}

// Returns a value that fits the schema, as a hint.
function sampleOf(schema) {
  const plain = withoutNull(schema);
  if ("const" in plain) return plain.const;
  if (plain.prefixItems) return plain.prefixItems.map(sampleOf);
  if (plain.type === "array") return plain.items ? new Array(Math.min(plain.minItems ?? 1, 2)).fill(sampleOf(plain.items)) : [];
  if (isRecord(plain)) return Object.fromEntries(Object.entries(plain.properties).slice(0, 3).map(([name, one]) => [name, sampleOf(one)]));
  return {boolean: true, integer: 1, number: 1.5, text: "text"}[scalarKind(plain)] ?? {};
}

// A field is {element, read(), write(value), mark(path, message), clear()}. read() returns undefined
// for a value that is left out. mark() marks the input for a path such as `[0].balances`.

function marker(input, holder) {
  const id = freshId("error");
  let note;
  return {
    mark(message) {
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-describedby", id);
      note = el("p", {class: "fault", id}, prose(message));
      holder().append(note);
    },
    clear() {
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
      note?.remove();
    },
  };
}

function scalarField(schema, {label, id, optional, fallback, compact}) {
  const kind = scalarKind(schema);
  const attributes = {id, "aria-label": label};
  let input;
  if (kind === "boolean") {
    const choices = [["true", "true"], ["false", "false"]];
    if (optional || schema.nullable || compact) choices.unshift(["", optional && fallback !== undefined ? `default (${textOf(fallback)})` : "–"]);
    input = el("select", attributes, choices.map(([value, name]) => el("option", {value}, name)));
  } else {
    const hint = optional && fallback !== undefined ? `default: ${textOf(fallback)}` : undefined;
    const mode = kind === "integer" ? "numeric" : kind === "number" ? "decimal" : undefined;
    input = el("input", {...attributes, type: "text", autocomplete: "off", spellcheck: "false", inputmode: mode, placeholder: hint, class: kind === "text" ? undefined : "number"});
    if (kind === "constant") input.value = textOf(schema.const);
  }
  const cell = el("div", {class: "cell"}, input);
  const faults = marker(input, () => cell);
  return {
    element: cell,
    input,
    read() {
      if (input.value !== "") return kind === "constant" && typeof schema.const === "string" ? JSON.stringify(input.value) : scalarText(kind, input.value);
      if (kind === "text" && !optional && !schema.nullable) return '""';
      return undefined;
    },
    write(value) {
      input.value = value === null ? "" : textOf(value);
    },
    mark(path, message) {
      faults.mark(message);
      return input;
    },
    clear: faults.clear,
  };
}

function jsonField(schema, {label, id, optional, fallback, compact}) {
  const input = compact
    ? el("input", {id, "aria-label": label, type: "text", autocomplete: "off", spellcheck: "false", class: "code", placeholder: schema.type === "array" ? "[…]" : "{…}"})
    : el("textarea", {id, "aria-label": label, rows: 3, spellcheck: "false", class: "code", placeholder: optional && fallback !== undefined ? `default: ${JSON.stringify(fallback)}` : `JSON, such as ${JSON.stringify(sampleOf(schema))}`});
  const cell = el("div", {class: "cell"}, input);
  const faults = marker(input, () => cell);
  return {
    element: cell,
    input,
    read: () => (input.value.trim() === "" ? undefined : jsonText(input.value)),
    write(value) {
      input.value = value === undefined ? "" : JSON.stringify(value);
      if (!compact) input.rows = Math.min(12, Math.max(3, Math.ceil(input.value.length / 60)));
    },
    mark(path, message) {
      faults.mark(message);
      return input;
    },
    clear: faults.clear,
  };
}

function objectText(fields) {
  const parts = [];
  for (const [name, field] of fields) {
    const text = field.read();
    if (text !== undefined) parts.push(`${JSON.stringify(name)}: ${text}`);
  }
  return `{${parts.join(", ")}}`;
}

function columnsOf(schema) {
  return Object.entries(schema.properties).map(([name, one]) => ({name, schema: withoutNull(one), type: one["x-signet-type"], required: (schema.required ?? []).includes(name)}));
}

function cellField(column, label) {
  const options = {label, compact: true, optional: !column.required};
  return scalarKind(column.schema) ? scalarField(column.schema, options) : jsonField(column.schema, options);
}

// An editable table: one row per record.
function tableField(schema, {label}) {
  const columns = columnsOf(schema.items);
  const body = el("tbody");
  const count = el("span", {class: "muted", role: "status"});
  const rows = [];

  function renumber() {
    rows.forEach((row, i) => {
      row.header.textContent = i + 1;
      row.fields.forEach(([name, field]) => field.input.setAttribute("aria-label", `${name}, row ${i + 1}`));
      row.remove.setAttribute("aria-label", `Remove row ${i + 1}`);
    });
    count.textContent = `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
  }

  function addRow(value) {
    const fields = columns.map((column) => [column.name, cellField(column, column.name)]);
    if (value) fields.forEach(([name, field]) => name in value && field.write(value[name]));
    const row = {fields, header: el("th", {scope: "row"}), remove: el("button", {type: "button", class: "quiet small"}, "✕")};
    row.element = el("tr", {}, row.header, fields.map(([, field]) => el("td", {}, field.element)), el("td", {}, row.remove));
    row.remove.addEventListener("click", () => {
      const at = rows.indexOf(row);
      rows.splice(at, 1);
      row.element.remove();
      renumber();
      (rows[Math.min(at, rows.length - 1)]?.remove ?? add).focus();
    });
    rows.push(row);
    body.append(row.element);
    renumber();
    return row;
  }

  const add = el("button", {type: "button", class: "small", onclick: () => addRow().fields[0]?.[1].input.focus()}, "Add row");
  const head = el("tr", {}, el("th", {scope: "col"}, el("span", {class: "hidden"}, "Row")),
    columns.map((column) => el("th", {scope: "col"}, column.name, column.required ? null : el("span", {class: "muted"}, " (optional)"), el("small", {}, column.type))),
    el("th", {scope: "col"}, el("span", {class: "hidden"}, "Actions")));
  const element = el("div", {},
    el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": `Records of ${label}`}, el("table", {class: "edit"}, el("thead", {}, head), body)),
    el("div", {class: "row"}, add, count));
  addRow();
  return {
    element,
    read: () => `[${rows.map((row) => objectText(row.fields)).join(", ")}]`,
    write(value) {
      if (!Array.isArray(value)) return false;
      rows.splice(0).forEach((row) => row.element.remove());
      value.forEach((record) => addRow(record));
      renumber();
      return true;
    },
    mark(path, message) {
      const step = /^\[(\d+)\]\.?([^.[]*)(.*)$/.exec(path);
      const row = step && rows[Number(step[1])];
      if (!row) return undefined;
      row.element.classList.add("faulty");
      const field = row.fields.find(([name]) => name === step[2]) ?? row.fields[0];
      return field?.[1].mark(step[3], message);
    },
    clear() {
      rows.forEach((row) => {
        row.element.classList.remove("faulty");
        row.fields.forEach(([, field]) => field.clear());
      });
    },
  };
}

// One record: a field per line.
function recordField(schema, {label}) {
  const fields = columnsOf(schema).map((column) => {
    const field = cellField(column, `${column.name} of ${label}`);
    return [column.name, field, column];
  });
  const element = el("div", {class: "record", role: "group", "aria-label": label}, fields.map(([name, field, column]) =>
    el("div", {class: "pair"}, el("span", {class: "key"}, name, el("small", {}, column.type)), field.element)));
  return {
    element,
    read: () => objectText(fields),
    write(value) {
      if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
      fields.forEach(([name, field]) => field.write(value[name]));
      return true;
    },
    mark(path, message) {
      const name = /^\.?([^.[]+)/.exec(path)?.[1];
      return fields.find(([other]) => other === name)?.[1].mark("", message);
    },
    clear: () => fields.forEach(([, field]) => field.clear()),
  };
}

// A field with two forms: the table or record, and JSON. The user switches between them.
function switchableField(make, schema, options) {
  const table = make(schema, options);
  const json = jsonField(schema, options);
  let current = table;
  const holder = el("div", {}, table.element);
  const change = el("button", {type: "button", class: "quiet small", "aria-label": `Edit ${options.label} as JSON`}, "Edit as JSON");
  function show(next) {
    current = next;
    holder.replaceChildren(next.element);
    const other = next === table ? "JSON" : "a table";
    change.textContent = `Edit as ${other}`;
    change.setAttribute("aria-label", `Edit ${options.label} as ${other}`);
  }
  change.addEventListener("click", () => {
    if (current === table) {
      json.input.value = table.read();
      json.input.rows = 8;
      return show(json);
    }
    try {
      if (table.write(JSON.parse(json.input.value || "[]")) === false) throw new Error();
      json.clear();
      show(table);
    } catch {
      json.clear();
      json.mark("", "This text is not a table of records.");
    }
  });
  return {
    element: el("div", {}, holder),
    extra: change,
    read: () => current.read(),
    write(value) {
      if (table.write(value) === false) {
        json.write(value);
        show(json);
      } else {
        show(table);
      }
    },
    mark: (path, message) => current.mark(path, message),
    clear() {
      table.clear();
      json.clear();
    },
  };
}

// Returns the JSON text of the content of a file for a parameter: JSON, one JSON text per line, or other bytes.
async function fileText(file, schema) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const lines = file.name.endsWith(".ndjson") || file.name.endsWith(".jsonl");
  if (lines || file.name.endsWith(".json")) {
    const text = new TextDecoder().decode(bytes).trim();
    const json = lines ? `[${text.split("\n").filter((line) => line.trim()).join(",")}]` : text;
    JSON.parse(json);
    return json;
  }
  let binary = "";
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  const value = JSON.stringify({b64: btoa(binary)});
  return schema.type === "array" ? `[${value}]` : value;
}

// Adds a button to a field that reads the argument from a file.
function withFile(field, schema, label) {
  let text;
  const name = el("span", {class: "muted", role: "status"});
  const remove = el("button", {type: "button", class: "quiet small", hidden: true, "aria-label": `Remove the file of ${label}`}, "✕");
  const input = el("input", {type: "file", hidden: true, "aria-label": `File of ${label}`});
  const choose = el("button", {type: "button", class: "quiet small", "aria-label": `Load ${label} from a file`}, "Load a file");
  function set(next, shown) {
    text = next;
    name.textContent = shown;
    remove.hidden = text === undefined;
    field.element.hidden = text !== undefined;
  }
  choose.addEventListener("click", () => input.click());
  remove.addEventListener("click", () => set(undefined, ""));
  input.addEventListener("change", async () => {
    const file = input.files[0];
    if (!file) return;
    try {
      set(await fileText(file, schema), `${file.name}, ${formatBytes(file.size)}`);
    } catch {
      set(undefined, `${file.name} is not JSON`);
    }
    input.value = "";
  });
  return {
    ...field,
    extra: el("span", {class: "row"}, field.extra, name, remove, choose, input),
    read: () => text ?? field.read(),
    write(value) {
      set(undefined, "");
      return field.write(value);
    },
    mark: (path, message) => (text === undefined ? field.mark(path, message) : undefined),
  };
}

function parameterField(parameter, id) {
  const schema = withoutNull(parameter.schema);
  return withFile(fieldFor(parameter, schema, id), schema, parameter.name);
}

function fieldFor(parameter, schema, id) {
  const options = {label: parameter.name, id, optional: parameter.optional, fallback: parameter.default};
  if (parameter.kind === "VAR_POSITIONAL" || parameter.kind === "VAR_KEYWORD") {
    return jsonField({type: parameter.kind === "VAR_KEYWORD" ? "object" : "array"}, options);
  }
  if (scalarKind(schema)) return scalarField(schema, options);
  if (!parameter.optional && isRecordList(schema)) return switchableField(tableField, schema, options);
  if (!parameter.optional && isRecord(schema)) return switchableField(recordField, schema, options);
  return jsonField(schema, options);
}

const PREFIX = {VAR_POSITIONAL: "*", VAR_KEYWORD: "**"};

// Returns {element, body(), fill(body), mark(problem), clear(), arguments()}.
export function makeForm(parameters) {
  const entries = parameters.map((parameter) => {
    const id = freshId("argument");
    const field = parameterField(parameter, id);
    const note = el("div", {class: "notes"});
    const element = el("div", {class: "parameter"},
      el("div", {class: "row"},
        el("label", {for: id}, `${PREFIX[parameter.kind] ?? ""}${parameter.name}`),
        el("code", {class: "type"}, parameter.type),
        parameter.optional ? el("span", {class: "tag"}, "optional") : null,
        el("span", {class: "space"}),
        field.extra),
      parameter.doc ? el("p", {class: "muted"}, prose(parameter.doc)) : null,
      field.element,
      note);
    return {parameter, field, element, note};
  });

  // Returns [positional, keyword]: the JSON texts of the arguments that are given.
  function given() {
    const positional = [];
    const keyword = [];
    let is_complete = true;
    for (const {parameter, field} of entries) {
      const text = field.read();
      const {kind, name} = parameter;
      if (kind === "VAR_POSITIONAL") {
        if (text !== undefined) positional.push(...(JSON.parse(text).map?.((one) => JSON.stringify(one)) ?? [text]));
      } else if (kind === "VAR_KEYWORD") {
        const value = text === undefined ? {} : JSON.parse(text);
        if (value === null || typeof value !== "object") keyword.push([name, text]);
        else Object.entries(value).forEach(([key, one]) => keyword.push([key, JSON.stringify(one)]));
      } else if (kind === "KEYWORD_ONLY" || (kind === "POSITIONAL_OR_KEYWORD" && !is_complete)) {
        if (text !== undefined) keyword.push([name, text]);
      } else if (text === undefined) {
        is_complete = false;
      } else {
        positional.push(text);
      }
    }
    return [positional, keyword];
  }

  return {
    element: el("div", {class: "parameters"}, entries.map((entry) => entry.element),
      entries.length === 0 ? el("p", {class: "muted"}, "The function has no parameters.") : null),
    given,
    body() {
      const [positional, keyword] = given();
      const parts = [];
      if (positional.length > 0) parts.push(`"args": [${positional.join(", ")}]`);
      if (keyword.length > 0) parts.push(`"kwargs": {${keyword.map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(", ")}}`);
      return parts.length === 0 ? '{"args": []}' : `{${parts.join(", ")}}`;
    },
    fill(body) {
      const positional = [...(body.args ?? [])];
      const keyword = {...(body.kwargs ?? {})};
      for (const {parameter, field} of entries) {
        const {kind, name} = parameter;
        if (kind === "VAR_POSITIONAL") {
          if (positional.length > 0) field.write(positional.splice(0));
        } else if (kind === "VAR_KEYWORD") {
          if (Object.keys(keyword).length > 0) field.write(keyword);
        } else if (kind !== "KEYWORD_ONLY" && positional.length > 0) {
          field.write(positional.shift());
        } else if (name in keyword) {
          field.write(keyword[name]);
          delete keyword[name];
        }
      }
    },
    clear() {
      for (const {field, element, note} of entries) {
        field.clear();
        element.classList.remove("faulty");
        note.replaceChildren();
      }
    },
    // Marks the argument at fault. Returns true if there is one in the form.
    mark(problem) {
      const path = problem.field ?? "";
      const root = /^[^.[]+/.exec(path)?.[0];
      const numbered = /^args\[(\d+)\]/.exec(path);
      const entry = numbered ? entries[Number(numbered[1])] : entries.find(({parameter}) => parameter.name === root);
      if (!entry) return false;
      entry.element.classList.add("faulty");
      const rest = path.slice(numbered ? numbered[0].length : root.length);
      // The place is shown by the mark; the whole sentence is next to the form.
      const why = problem.detail.replace(/^.*?argument `[^`]*`: (?:byte \d+: )?(?:`[^`]*`: )?/, "");
      const input = entry.field.mark(rest, why);
      if (input) input.focus();
      else entry.note.append(el("p", {class: "fault"}, prose(why)));
      return true;
    },
  };
}
