// A program of a user of the generated client: api.d.ts is made from the OpenAPI document.

import createClient from "openapi-fetch";
import type {paths} from "./api.js";

declare const process: {argv: string[]};

const client = createClient<paths>({baseUrl: process.argv[2]});

const accounts = [{name: "Ann", balances: [800, 400]}, {name: "Bo", balances: []}];
const fees = await client.POST("/v1/models/savings/functions/fees", {body: accounts});
if (fees.error) throw new Error(fees.error.detail);
const first = fees.data[0];
const years = await client.POST("/v1/models/savings/functions/years_until", {body: {args: [1000, 0.05, 2000]}});
const failed = await client.POST("/v1/models/savings/functions/years_until", {body: {args: []}});
console.log(JSON.stringify({fees: [first, ...fees.data.slice(1)], years: years.data, code: failed.error?.code}));
