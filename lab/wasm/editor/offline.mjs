// Starts sw.js, by which the next visit needs no network. Browsers allow it with HTTPS and on localhost.

const longest = 3000;  // ms: the page also works without

export async function startOffline() {
  const workers = navigator.serviceWorker;
  if (workers === undefined) return;
  try {
    await workers.register(new URL("sw.js", import.meta.url));
    if (workers.controller !== null) return;
    // Of a first visit it takes over once it is active; then what the compiler loads is kept.
    await new Promise((resolve) => {
      workers.addEventListener("controllerchange", resolve, {once: true});
      setTimeout(resolve, longest);
    });
  } catch {
  }
}
