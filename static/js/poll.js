// Keeps a page that is still changing up to date. Without JavaScript the page reloads itself instead.
"use strict";
const EVERY_MS = 2000;
const LONGEST_MS = 30000;

function put(live, html) {
  if (live.innerHTML === html) return;
  const focused = live.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  live.innerHTML = html;
  if (focused) live.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

function announce(live) {
  const summary = live.querySelector("[data-summary]")?.dataset.summary ?? "";
  const status = document.getElementById("poll-status");
  if (status && status.textContent !== summary) status.textContent = summary;
}

async function follow(live, wait) {
  await new Promise((resolve) => setTimeout(resolve, wait));
  if (document.hidden) return follow(live, EVERY_MS);
  try {
    const answer = await fetch(live.dataset.poll);
    if (!answer.ok) throw new Error(answer.statusText);
    put(live, await answer.text());
    announce(live);
  } catch {
    return follow(live, Math.min(wait * 2, LONGEST_MS)); // the server is away for a while
  }
  if (!live.querySelector("[data-done]")) return follow(live, EVERY_MS);
}

async function reloadWhenEnded(address, wait) {
  await new Promise((resolve) => setTimeout(resolve, wait));
  try {
    const result = await (await fetch(address)).json();
    if (!["queued", "running"].includes(result.status)) return location.reload();
  } catch {
    wait = Math.min(wait * 2, LONGEST_MS);
  }
  return reloadWhenEnded(address, wait);
}

for (const live of document.querySelectorAll("[data-poll]")) follow(live, EVERY_MS);
for (const open of document.querySelectorAll("[data-reload]")) reloadWhenEnded(open.dataset.reload, EVERY_MS);
