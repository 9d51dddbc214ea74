// Draws the figures of a page from the specifications beside them. vega-embed's interpreter stands in for eval; the
// colours are the style sheet's own, so a figure follows light, dark and print without being drawn again.
(() => {
  "use strict";
  const font = getComputedStyle(document.body).fontFamily; // by name, since widths of text are measured outside the page
  const small = { labelColor: "var(--muted)", labelFont: font, labelFontSize: 12 };
  const words = { ...small, titleColor: "var(--ink)", titleFont: font, titleFontSize: 13, titleFontWeight: 600 };
  const lines = { domainColor: "var(--edge)", tickColor: "var(--edge)", gridColor: "var(--line)", gridOpacity: 0.6 };
  const narrow = 480;
  const colours = Array.from({ length: 8 }, (_, index) => `var(--chart-${index + 1})`);

  const configFor = (element) => ({
    background: "transparent",
    font,
    axis: { ...words, ...lines, labelLimit: 240, titlePadding: 8 },
    axisQuantitative: { tickCount: element.clientWidth < narrow ? 3 : 6 },
    legend: {
      ...words, symbolSize: 80, symbolBaseFillColor: "var(--muted)",
      ...(element.clientWidth < narrow && { orient: "bottom" }),
    },
    header: words,
    title: { color: "var(--ink)", font, subtitleColor: "var(--muted)", subtitleFont: font },
    text: { color: "var(--ink)", font },
    rule: { color: "var(--edge)" },
    view: { stroke: "var(--line)" },
    mark: { color: "var(--chart-1)" },
    style: { halo: { stroke: "var(--paper)", strokeWidth: 3 } },
    range: { category: colours, ramp: { scheme: "blues" }, heatmap: { scheme: "blues" } },
  });

  // Letters keep their size on a small screen, so the drawing gets smaller: a map stays a square, a chart with rows of
  // a given height takes the width there is, and one with columns of a given width can be scrolled.
  function fitted(spec, element) {
    const room = element.clientWidth;
    if (typeof spec.width !== "number") return spec;
    if (typeof spec.height !== "number") {
      const isLong = ({ name }) => room < narrow && name === "line_length";
      const params = spec.params?.map((param) => (isLong(param) ? { ...param, value: 16 } : param));
      return { ...spec, params, width: Math.min(room, 640), autosize: { type: "fit-x", contains: "padding" } };
    }
    const side = Math.min(spec.width, room - (room < narrow ? 70 : 160)); // the axis, and the legend beside it
    return { ...spec, width: side, height: (side * spec.height) / spec.width };
  }

  async function draw(element) {
    const spec = fitted(JSON.parse(document.getElementById(element.dataset.figure).textContent), element);
    delete element.dataset.figure;
    const options = { ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: { disableDefaultStyle: true } };
    try {
      await vegaEmbed(element, spec, { ...options, config: configFor(element) });
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0; // so that arrow keys scroll it
    } catch (error) {
      console.error(error);
      element.textContent = element.dataset.trouble;
    }
  }

  const drawAll = () => document.querySelectorAll("[data-figure]").forEach(draw);
  document.addEventListener("htmx:load", drawAll);
  drawAll();
})();
