// Draws the figures of a page from the specifications beside them. vega-embed's interpreter stands in for eval; the
// colours are the style sheet's own, so a figure follows light, dark and print without being drawn again.
(() => {
  "use strict";
  const font = getComputedStyle(document.body).fontFamily; // by name, since widths of text are measured outside the page
  const theme = JSON.parse(document.getElementById("figure-theme").textContent);
  const narrow = 480;
  const fonts = { labelFont: font, titleFont: font };

  const configFor = (element) => ({
    ...theme,
    font,
    axis: { ...theme.axis, ...fonts },
    axisQuantitative: { ...theme.axisQuantitative, ...(element.clientWidth < narrow && { tickCount: 3 }) },
    legend: { ...theme.legend, ...fonts, ...(element.clientWidth < narrow && { orient: "bottom", labelLimit: element.clientWidth - 90 }) },
    header: { ...theme.header, ...fonts },
    title: { ...theme.title, font, subtitleFont: font },
    text: { ...theme.text, font },
  });

  // Letters keep their size on a small screen, so the drawing gets smaller: a square stays one, a chart with columns of a
  // given width can be scrolled, and any other takes the width there is.
  function fitted(spec, element) {
    const room = element.clientWidth;
    if (typeof spec.width !== "number") return spec;
    if (spec.width === spec.height) {
      const side = Math.min(spec.width, room - (room < narrow ? 70 : 160)); // the axis, and the legend beside it
      return { ...spec, width: side, height: side };
    }
    const letters = room < narrow ? 16 : Math.min(60, Math.round(room / 18)); // on a line of a label
    const params = spec.params?.map((param) => (param.name === "line_length" ? { ...param, value: letters } : param));
    return { ...spec, params, width: Math.min(room, 760), autosize: { type: "fit-x", contains: "padding" } };
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
