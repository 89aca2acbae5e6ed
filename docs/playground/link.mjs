// Texts in the address after the #, compressed.

const KEY = "#z=";

async function through(stream, bytes) {
  const out = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(out).arrayBuffer());
}

/** Returns the part of an address that has `texts`. */
export async function written(texts) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(texts)));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return KEY + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the texts in that part of an address; nothing if it has none. */
export async function read(hash) {
  if (!hash.startsWith(KEY)) return undefined;
  try {
    const letters = atob(hash.slice(KEY.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const texts = JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes)));
    const { flags = "", cluster = "", manifests = "" } = texts;
    return { flags: String(flags), cluster: String(cluster), manifests: String(manifests) };
  } catch {
    return undefined;
  }
}

/** Whether `texts` have something that should not be shared. */
export function hasSecret(texts) {
  return Object.values(texts).some((text) => /^\s*["']?kind["']?\s*:\s*["']?secret/im.test(text));
}
