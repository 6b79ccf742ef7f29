// All requests of the page to the service: JSON, pictures, jobs.

/** A problem (RFC 9457) that the service answered with. */
export class Problem extends Error {
  /** @param {any} problem @param {string | null} [later] the seconds after which it may be asked again */
  constructor(problem, later = null) {
    super(problem.errors?.[0]?.message ?? problem.detail ?? problem.title ?? "The service did not answer.");
    this.problem = problem;
    this.status = Number(problem.status ?? 0);
    /** @type {{ pointer: string, message: string, hint?: string }[]} */
    this.errors = problem.errors ?? [];
    this.later = later === null ? null : Number(later);
  }
}

const KEY = "arbiter-key";

/** @param {string} key */
export const useKey = (key) => sessionStorage.setItem(KEY, key);

/**
 * @param {string} path
 * @param {RequestInit} [options]
 */
async function answered(path, options = {}) {
  const key = sessionStorage.getItem(KEY);
  const headers = { ...options.headers, ...(key ? { Authorization: `Bearer ${key}` } : {}) };
  const answer = await fetch(path, { ...options, headers });
  if (!answer.ok) {
    throw new Problem(await answer.json().catch(() => ({ status: answer.status })), answer.headers.get("Retry-After"));
  }
  return answer;
}

/** @type {Map<string, Promise<any>>} */
const fetched = new Map();

/**
 * Get a resource that does not change while the page is open.
 * @param {string} path
 * @returns {Promise<any>}
 */
export function get(path) {
  let promise = fetched.get(path);
  if (!promise) {
    promise = answered(path).then((answer) => answer.json());
    promise.catch(() => fetched.delete(path));
    fetched.set(path, promise);
  }
  return promise;
}

/**
 * @param {string} path
 * @param {any} body
 * @param {string} accept
 * @param {AbortSignal} [signal]
 */
const posted = (path, body, accept, signal) =>
  answered(path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "Content-Type": "application/json", Accept: accept },
    signal: signal ?? null,
  });

/** A ruling as a page shows it: the verdict, a sentence, reasons in groups, and the picture. */
const SHEET = "application/vnd.arbiter.sheet+json";

/**
 * Request the sheet of a question; a heavy one becomes a job, whose result has only the ruling.
 * @param {string} path
 * @param {any} body
 * @param {string} ground
 * @param {AbortSignal} signal
 * @param {(secondsLeft: number | null) => void} progress
 * @returns {Promise<{ sheet: import("./types.js").Sheet, link: string | null }>}
 */
export async function askSheet(path, body, ground, signal, progress) {
  const { answer, link } = await ask(`${path}?ground=${ground}`, body, signal, progress, SHEET);
  if (answer.ruling) return { sheet: answer, link };
  const why = [{ about: "", name: "", gist: "", tone: "dim", steps: [...answer.reasons, ...answer.findings] }];
  return { sheet: { verdict: answer.allowed ? "Ruled" : "Forbidden", tone: "dim", gist: "", why, picture: null, ruling: answer }, link };
}

/**
 * Ask a question; a heavy one becomes a job, which is followed to its end.
 * @param {string} path
 * @param {any} body
 * @param {AbortSignal} [signal]
 * @param {(secondsLeft: number | null) => void} [progress]
 * @param {string} [accept]
 * @returns {Promise<{ answer: any, link: string | null }>}
 */
export async function ask(path, body, signal, progress, accept = "application/json") {
  const answer = await posted(path, body, accept, signal);
  const link = answer.headers.get("Content-Location");
  if (answer.status !== 202) return { answer: await answer.json(), link };
  const job = /** @type {string} */ (answer.headers.get("Location"));
  for (;;) {
    const state = await (await answered(job, { signal: signal ?? null })).json();
    if (state.state === "successful") break;
    if (state.state === "failed" || state.state === "dismissed") {
      throw new Problem({ title: "The battle could not be played to its end.", detail: state.cause?.detail });
    }
    progress?.(state.seconds_left);
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  return { answer: await (await answered(`${job}/result`, { signal: signal ?? null })).json(), link: null };
}

/**
 * Request the picture of a question or of a scene alone, without the ground that the board has.
 * @param {string} path
 * @param {any} body
 * @param {string} [ground]
 * @param {AbortSignal} [signal]
 */
export const picture = async (path, body, ground = "", signal) =>
  (await posted(`${path}?head=no&ground=${ground}`, body, "image/svg+xml", signal)).text();
