// Keeps the shell of the page, so that a reload works with the network gone. The network comes first: what it brings is
// what is shown, and what is kept. Answers and items never pass through here.

const KEPT = 'errorbar-judge';
const SHELL = ['judge.css', 'icon.svg', 'acts.js', 'answers.js', 'browser_store.js', 'device.js', 'dialogs.js', 'dom.js',
  'draft.js', 'frame.js', 'haste.js', 'item_view.js', 'judge.js', 'keyboard.js', 'keys.js', 'marking.js', 'outbox.js', 'page.js',
  'panel.js', 'question_kinds.js', 'quiz.js', 'recent.js', 'server.js', 'sight.js', 'standing.js', 'stopwatch.js', 'swipe.js', 'sync.js',
  'words.js'].map((name) => `static/${name}`);
const PATIENCE = 4000; // milliseconds until what is kept is shown instead

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll([...SHELL, 'work'])).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const path = new URL(request.url).href.slice(self.registration.scope.length).split(/[?#]/)[0];
  if (request.method !== 'GET') return;
  if ((path === 'work' && request.mode === 'navigate') || SHELL.includes(path)) event.respondWith(answer(request, path));
});

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
