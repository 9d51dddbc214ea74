// What pages do beyond plain forms and links. Everything here is an extra: each page works without it.
(() => {
  "use strict";
  const words = document.body.dataset;
  const byId = (id) => document.getElementById(id);
  const main = byId("main");

  // --- Character counter: the server's rule, code points after NFC of LF line ends -------------------------------
  const length = (text) => [...text.replace(/\r\n?/g, "\n").normalize("NFC")].length;

  function count(field) {
    const line = byId(field.dataset.counter);
    const live = byId(`${field.dataset.counter}-live`);
    const written = length(field.value);
    const minimum = Number(field.dataset.min ?? 0);
    const maximum = Number(field.dataset.max);
    const kind = written > maximum ? "over" : written < minimum && field.dataset.judged ? "short" : "left";
    const number = { over: written - maximum, short: minimum - written, left: maximum - written }[kind];
    line.textContent = line.dataset[kind].replace("{written}", written).replace("{n}", number);
    line.classList.toggle("is-wrong", kind !== "left");
    clearTimeout(live.timer);
    live.timer = setTimeout(() => { live.textContent = line.textContent; }, 1000);
  }

  // --- Drafts: to the server after a pause, in this tab until the server has them ---------------------------------
  let waiting = null; // the form with changes the server has not got
  let timer = 0;

  // Storage may be switched off in the browser; then only the server's copy is left, which is no reason to stop.
  const storage = (() => { try { return window.sessionStorage; } catch { return null; } })();
  const keyOf = (form) => `draft:${form.dataset.draftKey ?? form.elements.step.value}`;
  const typed = (form) => [...new FormData(form)].filter(([name]) => !["csrfmiddlewaretoken", "step", "layout"].includes(name));

  function remember(form) {
    try {
      storage?.setItem(keyOf(form), JSON.stringify(typed(form)));
    } catch (error) {
      console.warn("The browser keeps no draft:", error.name); // full or refused; the server's copy remains
    }
  }

  function refill(form) {
    const kept = storage?.getItem(keyOf(form));
    if (!kept) return;
    const pairs = JSON.parse(kept);
    for (const field of form.querySelectorAll("textarea, input:not([type=hidden])")) {
      if (field.type === "radio" || field.type === "checkbox") {
        field.checked = pairs.some(([name, value]) => name === field.name && value === field.value);
      } else {
        field.value = (pairs.find(([name]) => name === field.name) ?? ["", field.value])[1];
      }
    }
    changed(form);
  }

  function changed(form) {
    waiting = form;
    remember(form);
    clearTimeout(timer);
    timer = setTimeout(() => save(form), 2000);
  }

  async function save(form, keepalive = false) {
    clearTimeout(timer);
    waiting = null;
    let answer = words.kept;
    try {
      const headers = JSON.parse(document.body.getAttribute("hx-headers"));
      const options = { method: "POST", headers, body: new URLSearchParams(new FormData(form)), keepalive, redirect: "error" };
      const response = await fetch(form.dataset.draftUrl, options);
      if (response.ok) answer = words.saved;
    } catch (error) {
      console.warn("The draft was not saved:", error.message); // the network is away; the person is told below
    }
    if (answer === words.saved && waiting !== form) storage?.removeItem(keyOf(form));
    form.querySelector("[data-draft-status]").textContent = answer;
  }

  function forgetOthers() {
    const current = [...document.querySelectorAll("form[data-draft-url]")].map(keyOf);
    for (const key of Object.keys(storage ?? {})) {
      if (key.startsWith("draft:") && !current.includes(key)) storage.removeItem(key);
    }
  }

  // --- Layout: how the answer scale was laid out, as stored with the page view ------------------------------------
  const wide = window.matchMedia("(width >= 37.5em)"); // the same limit as .scale in app.css

  function recordLayout() {
    const layout = `${wide.matches ? "row" : "stacked"} ${window.innerWidth}`;
    for (const field of document.querySelectorAll("[data-layout]")) field.value = layout;
  }

  // --- A page, or its main part, has arrived ----------------------------------------------------------------------
  let open = []; // what was unfolded before a swap stays so
  document.addEventListener("htmx:beforeSwap", () => {
    open = [...main.querySelectorAll("details[open][id]")].map((element) => element.id);
  });

  function ready(arrived) {
    for (const id of open) byId(id)?.setAttribute("open", "");
    recordLayout();
    forgetOthers();
    for (const form of main.querySelectorAll("form[data-draft-url]")) refill(form);
    for (const field of main.querySelectorAll("[data-counter]")) {
      if (field.getAttribute("aria-invalid")) field.dataset.judged = "yes";
      count(field);
    }
    if (navigator.clipboard) for (const button of main.querySelectorAll("[data-copy]")) button.hidden = false;
    const summary = main.querySelector(".error-summary");
    const target = summary ?? (arrived ? main.querySelector("[data-autofocus]") : null);
    if (!target) return;
    target.focus({ preventScroll: true });
    if (target.matches("h1")) window.scrollTo(0, 0);
    else target.scrollIntoView({ block: "nearest" });
    const news = [...main.querySelectorAll("[data-announce]")].map((element) => element.dataset.announce);
    if (arrived && !summary) byId("announcer").textContent = news.join(". ");
  }

  // --- Sending: once at a time, and honest about failure ----------------------------------------------------------
  const release = (form) => { delete form.dataset.sending; };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    if (form.dataset.sending) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    form.dataset.sending = "yes";
    setTimeout(release, 5000, form); // a page that never answered can be sent again
    recordLayout();
    clearTimeout(timer);
    waiting = null;
    byId("problem").textContent = "";
    for (const line of form.querySelectorAll("[data-problem]")) line.textContent = "";
  }, true);

  const polls = (element) => (element.getAttribute("hx-trigger") ?? "").startsWith("every");

  function failed(event) {
    const element = event.detail.elt;
    if (polls(element)) return; // it asks again by itself
    const line = element.closest("form")?.querySelector("[data-problem]") ?? byId("problem");
    line.textContent = event.type === "htmx:responseError" ? words.failed : words.lost;
  }

  for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) document.addEventListener(name, failed);
  document.addEventListener("htmx:afterRequest", (event) => release(event.detail.elt));
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (document.hidden && polls(event.detail.elt)) event.preventDefault(); // nobody is looking
  });

  // --- Events -----------------------------------------------------------------------------------------------------
  for (const name of ["input", "change"]) {
    document.addEventListener(name, (event) => {
      if (event.target.dataset.counter && name === "input") count(event.target);
      const form = event.target.closest("form[data-draft-url]");
      if (form) changed(form);
    });
  }

  document.addEventListener("focusout", (event) => {
    const field = event.target;
    if (!field.dataset.counter || !field.value) return;
    field.dataset.judged = "yes";
    count(field);
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(byId(button.dataset.copy).textContent.trim());
    button.parentElement.querySelector("[role=status]").textContent = words.copied;
  });

  document.addEventListener("visibilitychange", () => {
    if (document.hidden && waiting?.isConnected) save(waiting, true);
  });

  window.addEventListener("pageshow", () => document.querySelectorAll("form").forEach(release));
  window.addEventListener("resize", recordLayout);
  new MutationObserver(() => ready(true)).observe(main, { childList: true });
  ready(false);
})();
