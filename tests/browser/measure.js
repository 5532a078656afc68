// What a reader meets on the page: run in the browser by the tests, with every fold open and the whole page in view.
() => {
  const rgb = (text) => {
    const parts = text.match(/[\d.]+/g).map(Number);
    return { r: parts[0], g: parts[1], b: parts[2], a: parts.length > 3 ? parts[3] : 1 };
  };
  const light = ({ r, g, b }) => {
    const part = (value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const contrast = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const isText = (element) => element.tagName === "text" || element.tagName === "tspan";
  const paint = (element) => {
    if (isText(element) || element.tagName === "svg" || element.tagName === "g") return null;
    const style = getComputedStyle(element);
    const text = element instanceof SVGElement ? style.fill : style.backgroundColor;
    if (!text || text === "none") return null;
    const colour = rgb(text);
    return colour.a > 0 ? colour : null;
  };
  const behind = (x, y) => {
    for (const element of document.elementsFromPoint(x, y)) {
      const colour = paint(element);
      if (colour) return colour;
    }
    return rgb(getComputedStyle(document.body).backgroundColor);
  };

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || ["SCRIPT", "STYLE", "title", "desc"].includes(parent.tagName)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = [...range.getClientRects()].find((rect) => rect.width > 1 && rect.height > 1);
    if (!box || box.right < 0 || !parent.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(parent);
    const svg = parent.closest("svg");
    const scale = svg ? svg.getScreenCTM().a : 1;
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    texts.push({
      text: node.data.trim().slice(0, 40),
      size: parseFloat(style.fontSize) * scale,
      contrast: contrast(rgb(svg ? style.fill : style.color), behind(x, y)),
    });
  }

  const charts = [...document.querySelectorAll("svg.movement")].filter((svg) => svg.checkVisibility());
  const labels = charts.flatMap((svg) => {
    const band = svg.querySelector("rect.lane").getBoundingClientRect().left;
    return [...svg.querySelectorAll("text.lane-label")].map((label) => band - label.getBoundingClientRect().right);
  });
  return {
    scrolls: document.documentElement.scrollWidth > window.innerWidth,
    small: texts.filter(({ size }) => size < 12),
    pale: texts.filter((text) => text.contrast < 4.5),
    count: texts.length,
    charts: charts.map((svg) => {
      const box = svg.getBoundingClientRect();
      return box.left >= 0 && box.right <= window.innerWidth;
    }),
    labelsClear: labels.every((gap) => gap >= 0),
  };
}
