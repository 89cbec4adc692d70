// Requests to the JSON API, with the token that the user entered.

const TOKEN = "signet-token";
let onUnauthenticated = () => {};

export function storedToken() {
  return sessionStorage.getItem(TOKEN) ?? "";
}

export function storeToken(token) {
  if (token) sessionStorage.setItem(TOKEN, token);
  else sessionStorage.removeItem(TOKEN);
}

// Sets what is called when the server requires a token, or does not accept it.
export function whenUnauthenticated(callback) {
  onUnauthenticated = callback;
}

// An error of the server (application/problem+json), or of the network.
export class Problem extends Error {
  constructor(problem) {
    super(problem.detail);
    Object.assign(this, problem);
  }
}

export function functionPath(model, version, name) {
  const part = version ? `/versions/${version}` : "";
  return `/v1/models/${encodeURIComponent(model)}${part}/functions/${encodeURIComponent(name)}`;
}

// Returns {json, text, headers} of a response, or throws a Problem.
export async function request(path, {method = "GET", body, headers = {}} = {}) {
  const all = {...headers};
  if (storedToken()) all.Authorization = `Bearer ${storedToken()}`;
  if (body !== undefined) all["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, {method, body, headers: all, cache: "no-store"});
  } catch {
    throw new Problem({title: "No connection", status: 0, code: "UNAVAILABLE", detail: "The server does not respond."});
  }
  const text = await response.text();
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  if (!response.ok) {
    const problem = new Problem(json?.detail ? json : {title: response.statusText, status: response.status, code: "UNKNOWN", detail: text.trim() || response.statusText});
    if (response.status === 401) onUnauthenticated(problem);
    throw problem;
  }
  return {json, text, headers: response.headers};
}

export async function get(path) {
  return (await request(path)).json;
}
