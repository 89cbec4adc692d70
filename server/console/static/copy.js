// Writes a call as a command line, for curl, and in Python.

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const isPlain = (text) => /^[\w.+-]+$/.test(text);
const word = (text) => (isPlain(text) ? text : quote(text));

// Python's spelling of JSON text.
function python(text) {
  return text.replace(/"(?:[^"\\]|\\.)*"|\b(true|false|null)\b/g, (token) => ({true: "True", false: "False", null: "None"})[token] ?? token);
}

// `grpc` is the address of the server over gRPC.
export function snippets({origin, grpc, path, model, version, name, positional, keyword, body}) {
  const target = version ? `${model}/${version}` : model;
  const words = [...positional.map(word), ...keyword.map(([key, text]) => word(`${/^\w+$/.test(key) ? key : JSON.stringify(key)}=${text}`))];
  const called = /^[A-Za-z_]\w*$/.test(name) ? `model.${name}` : `model[${JSON.stringify(name)}]`;
  const named = keyword.map(([key, text]) => `${key}=${python(text)}`);
  return {
    CLI: ["signet", "--address", grpc, "call", word(target), word(name), ...words].join(" "),
    curl: `curl -s ${quote(origin + path)} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quote(body)}`,
    Python: [
      "import signet",
      "",
      `client = signet.connect(${JSON.stringify(grpc)})`,
      `model = client[${JSON.stringify(target)}]`,
      `result = ${called}(${[...positional.map(python), ...named].join(", ")})`,
      "print(result)",
    ].join("\n"),
  };
}
