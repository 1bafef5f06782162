// Keeps the shell of the page, so that a reload works with the network gone. The network comes first: what it brings is
// what is shown, and what is kept. Answers and items never pass through here.

const KEPT = 'errorbar-judge';
const SHELL = ['judge.css', 'icon.svg', 'judge.js'].map((name) => `static/${name}`);
const PATIENCE = 4000; // milliseconds until what is kept is shown instead

self.addEventListener('install', (event) => {
  event.waitUntil(keepAll().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const path = new URL(request.url).href.slice(self.registration.scope.length).split(/[?#]/)[0];
  if (request.method !== 'GET') return;
  if ((path === 'work' && request.mode === 'navigate') || SHELL.includes(path)) event.respondWith(answer(request, path));
});

/** Files of the version that the page names, which the browser has; the page itself anew. */
async function keepAll() {
  const cache = await caches.open(KEPT);
  const version = self.location.search;
  await Promise.all([...SHELL, 'work'].map(async (path) => {
    const response = await fetch(path === 'work' ? path : path + version);
    if (!response.ok) throw new Error(path);
    await cache.put(path, response);
  }));
}

/**
 * @param {Request} request
 * @param {string} path
 */
async function answer(request, path) {
  const cache = await caches.open(KEPT);
  const kept = await cache.match(path);
  try {
    const response = await fetch(request, kept ? { signal: AbortSignal.timeout(PATIENCE) } : {});
    if (response.ok && !response.redirected && response.type === 'basic') await cache.put(path, response.clone());
    return response.status >= 500 && kept ? kept : response;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}
