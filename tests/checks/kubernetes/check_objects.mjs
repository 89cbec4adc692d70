// check_objects: checks Kubernetes objects against the schemas of the npm packages of ./package.json.
//
//     node check_objects.mjs MODULES OBJECTS.json
//
// OBJECTS.json is an object that has a list of Kubernetes objects per source. The validators of the packages check types,
// required fields, and patterns, but accept unknown fields, as the schemas of Kubernetes do. The TypeScript compiler
// therefore checks each object as a literal of its type, which rejects unknown fields. Prints one line per fault.

import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const [modules, objectsFile] = process.argv.slice(2);
const require = createRequire(join(modules, "package.json"));
const ts = require("typescript");

// The objects of KServe have no package. Their containers are checked as containers of Kubernetes.
const PACKAGES = ["kubernetes-models", "@kubernetes-models/prometheus-operator"];

// Returns the name of the module of an object's type, and its path, or null.
function findModule({apiVersion, kind}) {
  for (const name of PACKAGES) {
    const folder = join(modules, "node_modules", name, apiVersion);
    if (existsSync(join(folder, `${kind}.d.ts`))) {
      const path = ["mjs", "js"].map((ending) => join(folder, `${kind}.${ending}`)).find(existsSync);
      return {name: `${name}/${apiVersion}`, path};
    }
  }
  return null;
}

const folder = mkdtempSync(join(modules, "objects-"));
const faults = [];
let count = 0;
const sources = [];
for (const [source, objects] of Object.entries(JSON.parse(readFileSync(objectsFile, "utf8")))) {
  for (const object of objects) {
    const label = `${source}: ${object.kind} ${object.metadata?.name ?? ""}`;
    const found = findModule(object);
    if (found === null) {
      faults.push(`${label}: no schema for ${object.apiVersion}`);
      continue;
    }
    count += 1;
    const Model = (await import(pathToFileURL(found.path)))[object.kind];
    try {
      new Model(object).validate();
    } catch (error) {
      faults.push(`${label}: ${error.message}`);
    }
    const file = join(folder, `object-${count}.ts`);
    writeFileSync(file, `import type { I${object.kind} } from "${found.name}";\n` +
      `export const object: I${object.kind} = ${JSON.stringify(object, null, 1)};\n`);
    sources.push({file, label});
  }
}
const program = ts.createProgram(sources.map(({file}) => file), {
  noEmit: true, strict: true, skipLibCheck: true, types: [], module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2022,
});
for (const {file, label} of sources) {
  for (const {messageText} of ts.getPreEmitDiagnostics(program, program.getSourceFile(file))) {
    faults.push(`${label}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
  }
}
rmSync(folder, {recursive: true});
console.log(faults.join("\n"));
console.log(`checked ${count} objects`);
