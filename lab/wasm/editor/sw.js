// Keeps the page, and the compiler once it is loaded: the second visit needs no network.
// `upsweep lab-site` writes the names of the files and hashes of their contents, so a changed page is
// loaded anew.

const site = {page: "", files: [], compiler: ""};

const own = `upsweep ${self.registration.scope} `;  // other sites of this server have theirs
const pages = `${own}page ${site.page}`, compilers = `${own}compiler ${site.compiler}`;
const isOfCompiler = (url) => url.startsWith(`${self.registration.scope}compiler/`);

self.addEventListener("install", (event) => {
  const fresh = (name) => new Request(name, {cache: "reload"});
  event.waitUntil(caches.open(pages).then((cache) => cache.addAll(site.files.map(fresh))).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith(own) && name !== pages && name !== compilers;
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (isOld(name)) await caches.delete(name);
    await self.clients.claim();
  })());
});

async function answered(event) {
  const {request} = event, cache = await caches.open(isOfCompiler(request.url) ? compilers : pages);
  const known = await cache.match(request, {ignoreSearch: true});
  if (known !== undefined) return known;
  const got = await fetch(request);
  // Without room for it the next visit loads it again.
  if (got.ok && isOfCompiler(request.url)) event.waitUntil(cache.put(request, got.clone()).catch(() => undefined));
  return got;
}

self.addEventListener("fetch", (event) => {
  const {method, url} = event.request;
  if (method === "GET" && url.startsWith(self.registration.scope)) event.respondWith(answered(event));
});
