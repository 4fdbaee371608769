(() => {
  const TEXTS = [
    ["text", "ground"], ["text", "card"], ["text", "raised"], ["text", "tint"], ["quiet", "ground"], ["quiet", "card"], ["quiet", "raised"],
    ["quiet", "tint"], ["accent", "card"], ["accent", "tint"], ["on-accent", "accent"], ["danger", "danger-tint"], ["letters", "board"],
    ["on-value", "win"], ["on-value", "draw"], ["on-value", "loss"], ["on-value", "better"], ["on-value", "worse"],
  ];
  const MARKS = [["hint", "board"], ["strike", "board"], ["other-strike", "board"], ["control", "card"], ["control", "ground"], ["accent", "ground"]];
  const probe = document.createElement("span");
  const light = (name) => {
    probe.style.color = `var(--${name})`;
    const parts = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const contrast = (a, b) => {
    const [less, more] = [light(a), light(b)].sort((x, y) => x - y);
    return (more + 0.05) / (less + 0.05);
  };
  const root = document.documentElement;
  const poor = [];
  document.body.append(probe);
  for (const theme of ["light", "dark"]) {
    for (const colours of ["wood", "slate", "distinct", "contrast"]) {
      root.dataset.theme = theme;
      root.dataset.colours = colours;
      for (const [pairs, least] of [[TEXTS, 4.5], [MARKS, 3]]) {
        for (const [a, b] of pairs) {
          if (contrast(a, b) < least) poor.push(`${theme} ${colours}: ${a} on ${b} ${contrast(a, b).toFixed(2)}`);
        }
      }
    }
  }
  probe.remove();
  return poor;
})()
