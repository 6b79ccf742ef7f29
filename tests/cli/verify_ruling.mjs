// Verifies a signed ruling by docs/verifying.md alone: nothing here is shared with the service but the standards.
//
//   node verify_ruling.mjs ruling.json keys.json [epoch.json]
//
// Prints what holds, one word a line, and exits with 1 at the first thing that does not. The rules of the game are not
// known here, so the ruling is not decided again; its dice are thrown again from the seed.
import { createHash, createHmac, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

// RFC 8785: names in the order of their UTF-16 units, which is how strings compare here; numbers as ECMAScript has them.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}

const sha256 = (data) => createHash("sha256").update(data).digest();

// RFC 7638 and 8037: the thumbprint of an Ed25519 key.
const thumbprint = ({ crv, kty, x }) => sha256(canonical({ crv, kty, x })).toString("base64url");

// RFC 7693, BLAKE2b with a key and a length, which node:crypto does not have.
const MASK = (1n << 64n) - 1n;
const IV = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4], [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13], [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11], [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5], [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

export function blake2b(message, length, key = Buffer.alloc(0)) {
  const h = [...IV];
  h[0] ^= 0x01010000n ^ BigInt(key.length << 8) ^ BigInt(length);
  const padded = key.length ? Buffer.concat([key, Buffer.alloc(128 - key.length), message]) : Buffer.from(message);
  const blocks = Math.max(1, Math.ceil(padded.length / 128));
  const rotated = (x, by) => ((x >> by) | (x << (64n - by))) & MASK;
  for (let block = 0; block < blocks; block++) {
    const last = block === blocks - 1;
    const part = Buffer.alloc(128);
    padded.copy(part, 0, block * 128, block * 128 + 128);
    const m = Array.from({ length: 16 }, (_, i) => part.readBigUInt64LE(i * 8));
    const v = [...h, ...IV];
    v[12] ^= BigInt(last ? padded.length : (block + 1) * 128);
    if (last) v[14] ^= MASK;
    const mix = (a, b, c, d, x, y) => {
      v[a] = (v[a] + v[b] + x) & MASK;
      v[d] = rotated(v[d] ^ v[a], 32n);
      v[c] = (v[c] + v[d]) & MASK;
      v[b] = rotated(v[b] ^ v[c], 24n);
      v[a] = (v[a] + v[b] + y) & MASK;
      v[d] = rotated(v[d] ^ v[a], 16n);
      v[c] = (v[c] + v[d]) & MASK;
      v[b] = rotated(v[b] ^ v[c], 63n);
    };
    for (let round = 0; round < 12; round++) {
      const s = SIGMA[round % 10].map((i) => m[i]);
      mix(0, 4, 8, 12, s[0], s[1]);
      mix(1, 5, 9, 13, s[2], s[3]);
      mix(2, 6, 10, 14, s[4], s[5]);
      mix(3, 7, 11, 15, s[6], s[7]);
      mix(0, 5, 10, 15, s[8], s[9]);
      mix(1, 6, 11, 12, s[10], s[11]);
      mix(2, 7, 8, 13, s[12], s[13]);
      mix(3, 4, 9, 14, s[14], s[15]);
    }
    for (let i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
  }
  const out = Buffer.alloc(64);
  h.forEach((word, i) => out.writeBigUInt64LE(word, i * 8));
  return out.subarray(0, length);
}

// The face that a seed holds for one die with faces 1 to `sides`.
export function drawn(seed, label, index, sides) {
  const key = blake2b(Buffer.from(seed), 32);
  const fair = (1n << 64n) - ((1n << 64n) % BigInt(sides));
  for (let attempt = 0; ; attempt++) {
    const word = blake2b(Buffer.from(`${label}\x1f${index}\x1f${attempt}`), 8, key).readBigUInt64BE();
    if (word < fair) return Number(word % BigInt(sides)) + 1;
  }
}

// What committed dice are for, and the seed that follows from it.
export function asked(ruling, body) {
  const { epoch, client_seed, nonce } = body.dice.committed;
  return canonical({
    game: ruling.game, question: ruling.question, case: body.case, readings: body.readings ?? {},
    hand: body.dice.hand ?? {}, epoch, client_seed, nonce,
  });
}

export const seedOf = (secret, text) => createHmac("sha256", secret).update(text).digest("hex");

function main(rulingFile, keysFile, epochFile) {
  const read = (name) => JSON.parse(readFileSync(name, "utf8"));
  const holds = (what, does) => {
    console.log(does ? what : `NOT ${what}`);
    if (!does) process.exit(1);
  };
  const { statement, body: text, signature } = read(rulingFile);
  const key = read(keysFile).keys.find((each) => thumbprint(each) === signature.key);
  holds("key", key !== undefined);
  const made = createPublicKey({ key: { kty: key.kty, crv: key.crv, x: key.x }, format: "jwk" });
  const value = Buffer.from(signature.value, "base64url");
  holds("signature", signature.alg === "Ed25519" && value.toString("base64url") === signature.value &&
    verify(null, Buffer.from(canonical(statement)), made, value));
  holds("version", statement.version === "arbiter-ruling/1");
  holds("body", sha256(text).toString("hex") === statement.body_sha256);

  const { ruling } = statement;
  const body = JSON.parse(text);
  if (statement.dice.origin === "committed") {
    const epoch = read(epochFile);
    holds("epoch", epoch.id === body.dice.committed.epoch);
    holds("commitment", epoch.commitment === statement.dice.commitment);
    if (epoch.secret === null) return console.log("unrevealed");
    const secret = Buffer.from(epoch.secret, "hex");
    holds("secret", sha256(secret).toString("hex") === epoch.commitment);
    holds("seed", ruling.seed === null || ruling.seed === seedOf(secret, asked(ruling, body)));
  }
  for (const { label, index, die, face, origin } of ruling.throws) {
    const sides = /^d([0-9]+)$/.exec(die);
    if (origin === "seed" && sides) holds(`die ${label} ${index}`, drawn(ruling.seed, label, index, +sides[1]) === face);
    if (origin === "handed" && body.dice?.hand) holds(`hand ${label} ${index}`, body.dice.hand[label][index] === face);
  }
}

if (process.argv[1]?.endsWith("verify_ruling.mjs")) main(...process.argv.slice(2));
