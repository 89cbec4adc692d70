// The OpenAPI document: a public validator accepts it, its examples are accepted by the server, and a client that
// openapi-typescript generates from it compiles and works.

import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";

const [url, modules, work] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const SwaggerParser = require("@apidevtools/swagger-parser");

const response = await fetch(`${url}/v1/openapi.json`);
assert.equal(response.status, 200);
const document = await response.json();
assert.equal(document.openapi, "3.1.0");
await (SwaggerParser.default ?? SwaggerParser).validate(structuredClone(document));

const models = (await (await fetch(`${url}/v1/models`)).json()).models;
for (const {name} of models) {
  for (const {name: called} of (await (await fetch(`${url}/v1/models/${name}/functions`)).json()).functions) {
    assert.ok(document.paths[`/v1/models/${name}/functions/${called}`]?.post, `${name}.${called} is in the document`);
  }
}
// Versions have signatures of their own, and so have labels.
const paths = (place) => document.paths[`/v1/models/openapi_versions${place}/functions/f`]?.post;
const argument = (place) => paths(place).requestBody.content["application/json"].schema.anyOf[1].properties.kwargs.properties;
assert.deepEqual(["", "/versions/1", "/versions/2", "/labels/stable"].map((place) => Object.keys(argument(place))),
                 [["new_name"], ["old_name"], ["new_name"], ["old_name"]]);
assert.equal(paths("/versions/3"), undefined);
assert.deepEqual(["", "/versions/2", "/labels/stable"].map((place) => paths(place).operationId),
                 ["openapi_versions_f", "openapi_versions_v2_f", "openapi_versions_stable_f"]);
let examples = 0;
for (const [path, {post}] of Object.entries(document.paths)) {
  for (const {value} of Object.values(post?.requestBody.content["application/json"].examples ?? {})) {
    const answer = await fetch(url + path, {method: "POST", body: JSON.stringify(value)});
    assert.equal(answer.status, 200, `${path} ${JSON.stringify(value)}: ${await answer.text()}`);
    examples += 1;
  }
}
assert.ok(examples > 10, "the document has examples");
const years = document.paths["/v1/models/savings/functions/years_until"].post;
assert.match(years.description, /years_until\(/);
const fees = document.paths["/v1/models/savings/functions/fees"].post.requestBody.content["application/json"].schema;
assert.equal(fees.anyOf[0].items.properties.balances.type, "array");
assert.deepEqual(fees.anyOf[0].items.required, ["name", "balances"]);

const folder = `${work}/openapi`;
mkdirSync(folder);
symlinkSync(`${modules}/node_modules`, `${folder}/node_modules`);
writeFileSync(`${folder}/openapi.json`, JSON.stringify(document));
writeFileSync(`${folder}/package.json`, '{"type": "module"}');
execFileSync(`${modules}/node_modules/.bin/openapi-typescript`, ["openapi.json", "-o", "api.d.ts"], {cwd: folder});
assert.match(readFileSync(`${folder}/api.d.ts`, "utf8"), /savings_fees/);
const client = readFileSync(new URL("client.ts", import.meta.url), "utf8");
cpSync(new URL("client.ts", import.meta.url), `${folder}/client.ts`);
const options = ["--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck"];
const compile = () => execFileSync(`${modules}/node_modules/.bin/tsc`, [...options, "client.ts"], {cwd: folder, encoding: "utf8"});
compile();
const printed = execFileSync("node", ["client.js", url], {cwd: folder, encoding: "utf8"});
assert.deepEqual(JSON.parse(printed), {fees: [{name: "Ann", fee: 12}, {name: "Bo", fee: 0}], years: 15, code: "INVALID_ARGUMENT"});
// The types of results are known.
writeFileSync(`${folder}/client.ts`, client.replace("fees.data[0]", "fees.data[0].cost"));
assert.throws(compile, (error) => /client\.ts.*error TS2339/.test(error.stdout));
console.log(`the OpenAPI document is accepted, with ${examples} examples`);
