// Judging by keyboard, questions that follow from answers, and when the page is left. Each page works without it.
(() => {
  "use strict";
  const main = document.getElementById("main");
  const form = () => main.querySelector("form[data-judging]");
  const questions = () => [...(form()?.querySelectorAll("[data-question]:not([hidden])") ?? [])];
  const inputs = (question) => [...question.querySelectorAll("input[data-key]")];
  const isAnswered = (question) => question.querySelector("input:checked") !== null;

  // --- Questions that are asked only after certain answers ---------------------------------------------------------
  // They stay on the page without script, with a line that says when to answer. The server decides in either case.
  function unfold() {
    for (const question of form()?.querySelectorAll("[data-depends-on]") ?? []) {
      const wanted = question.dataset.dependsLabels.split(" ");
      const other = form().querySelector(`[data-question="${CSS.escape(question.dataset.dependsOn)}"]`);
      const applies = !other.hidden && [...other.querySelectorAll("input:checked")].some((input) => wanted.includes(input.value));
      question.hidden = !applies;
      question.querySelector("[data-after]").hidden = applies;
    }
  }

  // --- "None of these" and "cannot judge" beside boxes -------------------------------------------------------------
  function settle(changed) {
    if (changed.type !== "checkbox" || !changed.checked || !changed.dataset.key) return;
    for (const input of inputs(changed.closest("[data-question]"))) {
      if (input !== changed && ("aside" in changed.dataset || "aside" in input.dataset)) input.checked = false;
    }
  }

  // --- Keys ----------------------------------------------------------------------------------------------------------
  const SWITCH = "judging-keys";
  const storage = (() => { try { return window.localStorage; } catch { return null; } })();
  const areOn = () => storage?.getItem(SWITCH) !== "off";
  const WRITES = "textarea, select, input:not([type=radio], [type=checkbox], [type=hidden]), [contenteditable]";
  let last = null; // the question that was answered or gone to last

  function current() {
    const all = questions();
    const focused = all.find((question) => question.contains(document.activeElement));
    return focused ?? all.find((question) => !isAnswered(question)) ?? all.find((question) => question === last) ?? all[0];
  }

  function goTo(question) {
    if (!question) return;
    last = question;
    const target = question.querySelector("input:checked") ?? question.querySelector("input");
    target.focus();
    target.closest("label").scrollIntoView({ block: "nearest" });
  }

  function choose(input) {
    const question = input.closest("[data-question]");
    last = question;
    if (input.type === "checkbox") {
      input.click();
      input.focus();
      return;
    }
    input.checked = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    const following = questions().find((each) => !isAnswered(each));
    if (following) goTo(following);
    else form().querySelector("[data-send]").focus();
  }

  function step(by) {
    const all = questions();
    goTo(all[Math.min(all.length - 1, Math.max(0, all.indexOf(current()) + by))]);
  }

  function keyOf(event) {
    const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
    return digit ? digit[1] : event.key.toLowerCase();
  }

  function pressed(event) {
    if (event.defaultPrevented || event.isComposing || event.keyCode === 229 || event.repeat) return;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (!form() || !areOn() || event.target.closest?.(WRITES)) return;
    const key = keyOf(event);
    const question = current();
    const input = question && inputs(question).find((each) => each.dataset.key === key);
    if (input) choose(input);
    else if (key === "n") step(1);
    else if (key === "p") step(-1);
    else if (key === "s") form().querySelector("[data-send]").focus();
    else return;
    event.preventDefault();
  }

  // --- Time: the page is left, and looked at again -------------------------------------------------------------------
  function report(what) {
    const address = form()?.dataset.seenUrl;
    if (!address) return;
    const headers = JSON.parse(document.body.getAttribute("hx-headers"));
    fetch(address, { method: "POST", headers, body: new URLSearchParams({ what }), keepalive: true }).catch((error) => {
      console.warn("The time could not be noted:", error.message); // the network is away; nothing depends on it
    });
  }

  // --- Events --------------------------------------------------------------------------------------------------------
  function ready() {
    last = null;
    unfold();
    for (const box of main.querySelectorAll("[data-use-keys]")) box.checked = areOn();
    document.body.classList.toggle("without-keys", !areOn());
  }

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-use-keys]")) {
      storage?.setItem(SWITCH, event.target.checked ? "on" : "off");
      document.body.classList.toggle("without-keys", !areOn());
    } else if (event.target.closest("form[data-judging]")) {
      settle(event.target);
      unfold();
    }
  }, true);
  document.addEventListener("keydown", pressed);
  document.addEventListener("visibilitychange", () => report(document.hidden ? "hidden" : "back"));
  // An answer that was overtaken in another window comes as a page with status 409, to be shown like any other.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status !== 409 || !event.detail.elt.closest("#main")) return;
    if (!event.detail.xhr.getResponseHeader("X-Polyphony-Page")) return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  });
  new MutationObserver(ready).observe(main, { childList: true });
  ready();
})();
