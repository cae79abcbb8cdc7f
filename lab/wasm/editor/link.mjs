// A program as text that an address can carry: JSON, compressed, in base64 of the alphabet for addresses.

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function packed(program) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(program)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const program = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
  if (typeof program.text !== "string") throw new Error("no program");
  return program;
}
