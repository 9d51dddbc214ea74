// Draws the figures of a page from the specifications beside them. vega-embed's interpreter stands in for eval; the
// colours are the style sheet's own, so a figure follows light, dark and print without being drawn again.
(() => {
  "use strict";
  const font = getComputedStyle(document.body).fontFamily; // by name, since widths of text are measured outside the page
  const small = { labelColor: "var(--muted)", labelFont: font, labelFontSize: 12 };
  const words = { ...small, titleColor: "var(--ink)", titleFont: font, titleFontSize: 13, titleFontWeight: 600 };
  const lines = { domainColor: "var(--edge)", tickColor: "var(--edge)", gridColor: "var(--line)", gridOpacity: 0.6 };
  const colours = Array.from({ length: 8 }, (_, index) => `var(--chart-${index + 1})`);

  const configFor = (element) => ({
    background: "transparent",
    font,
    axis: { ...words, ...lines, labelLimit: 240, titlePadding: 8 },
    axisQuantitative: { tickCount: 6 },
    legend: { ...words, symbolSize: 80, ...(element.clientWidth < 480 && { orient: "bottom", columns: 2 }) },
    header: words,
    title: { color: "var(--ink)", font, subtitleColor: "var(--muted)", subtitleFont: font },
    text: { color: "var(--ink)", font },
    rule: { color: "var(--edge)" },
    view: { stroke: "var(--line)" },
    mark: { color: "var(--chart-1)" },
    range: { category: colours, ramp: { scheme: "blues" }, heatmap: { scheme: "blues" } },
  });

  async function draw(element) {
    const spec = JSON.parse(document.getElementById(element.dataset.figure).textContent);
    delete element.dataset.figure;
    const options = { ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: { disableDefaultStyle: true } };
    try {
      await vegaEmbed(element, spec, { ...options, config: configFor(element) });
    } catch (error) {
      console.error(error);
      element.textContent = element.dataset.trouble;
    }
  }

  const drawAll = () => document.querySelectorAll("[data-figure]").forEach(draw);
  document.addEventListener("htmx:load", drawAll);
  drawAll();
})();
