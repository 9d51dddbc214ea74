// Draws the figures of a page from the specifications beside them. The interpreter stands in for eval, and colours are
// the style sheet's own, so a figure follows light, dark and print without being drawn again.
(() => {
  "use strict";
  const ink = { labelColor: "var(--muted)", titleColor: "var(--ink)", labelFont: "var(--font)", titleFont: "var(--font)" };
  const config = {
    background: "transparent",
    font: "var(--font)",
    axis: { ...ink, domainColor: "var(--edge)", tickColor: "var(--edge)", gridColor: "var(--line)" },
    legend: ink,
    header: ink,
    title: { color: "var(--ink)", subtitleColor: "var(--muted)", font: "var(--font)", subtitleFont: "var(--font)" },
    text: { color: "var(--ink)", font: "var(--font)" },
    rule: { color: "var(--edge)" },
    view: { stroke: "var(--line)" },
    mark: { color: "var(--chart-1)" },
    range: { category: Array.from({ length: 8 }, (_, index) => `var(--chart-${index + 1})`) },
  };

  async function draw(element) {
    const spec = JSON.parse(document.getElementById(element.dataset.figure).textContent);
    delete element.dataset.figure;
    try {
      await vegaEmbed(element, spec, {
        ast: true,
        expr: vega.expressionInterpreter,
        actions: false,
        defaultStyle: false,
        renderer: "svg",
        tooltip: { disableDefaultStyle: true },
        config,
      });
    } catch (error) {
      console.error(error);
      element.textContent = element.dataset.trouble;
    }
  }

  const drawAll = () => document.querySelectorAll("[data-figure]").forEach(draw);
  document.addEventListener("htmx:load", drawAll);
  drawAll();
})();
