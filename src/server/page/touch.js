// Pointer and keyboard on the board: clicks, drags and keys become calls to the owner of the board.

/** How far a pointer moves before it drags. */
const SLACK = 6;

/**
 * Listens on a board. `owner()` is the game or the editor: `press(point)` returns whether the stone there can be dragged, `release(point)`
 * follows if it was not dragged, `drop(point)` ends a drag, `click(point)` is the keyboard's; `hover(point or null)`, `sweep(point)`.
 */
export function listen(board, owner) {
  const { root } = board;
  let press = null;
  let hovered = null;

  const hover = (point) => {
    if (point === hovered) return;
    hovered = point;
    owner().hover(point);
  };
  const end = () => {
    if (press?.dragging) board.lift(press.point);
    press = null;
  };

  // Clicks without a pointer are those of assistive technology.
  let pointed = false;
  root.addEventListener("click", (event) => {
    const point = event.target.closest("[data-point]")?.dataset.point;
    if (point && !pointed) owner().click(point);
    pointed = false;
  });

  root.addEventListener("pointerdown", (event) => {
    pointed = true;
    if (event.button !== 0 || press) return;
    const point = board.pointAt(event.clientX, event.clientY);
    if (!point) return;
    // The keyboard focus stays where it is.
    event.preventDefault();
    root.setPointerCapture(event.pointerId);
    const gripped = owner().press(point);
    press = { id: event.pointerId, point, gripped, x: event.clientX, y: event.clientY, dragging: false };
  });
  root.addEventListener("mousedown", (event) => event.preventDefault());

  root.addEventListener("pointermove", (event) => {
    const point = board.pointAt(event.clientX, event.clientY);
    if (press && event.pointerId === press.id) {
      const far = Math.hypot(event.clientX - press.x, event.clientY - press.y) > SLACK;
      if (press.gripped && (press.dragging || far)) {
        press.dragging = true;
        hover(point);
        board.lift(press.point, event.clientX, event.clientY);
      } else if (!press.gripped && point) {
        owner().sweep(point);
      }
    } else if (event.pointerType === "mouse") {
      hover(point);
    }
  });

  root.addEventListener("pointerup", (event) => {
    if (event.pointerId !== press?.id) return;
    const { point, dragging } = press;
    const there = board.pointAt(event.clientX, event.clientY);
    end();
    if (!dragging) owner().release(point);
    else if (there && there !== point) owner().drop(there);
  });
  root.addEventListener("pointercancel", end);
  root.addEventListener("pointerleave", () => { if (!press) hover(null); });

  root.addEventListener("keydown", (event) => {
    const point = event.target.closest?.("[data-point]")?.dataset.point;
    if (!point || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key.startsWith("Arrow")) {
      const next = board.neighbour(point, event.key);
      if (next) board.focus(next);
    } else if (event.key === "Enter" || event.key === " ") {
      owner().click(point);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
  // Not on the picture itself, which would become focusable by the listener.
  root.parentElement.addEventListener("focusin", (event) => hover(event.target.dataset.point ?? null));
  root.parentElement.addEventListener("focusout", () => hover(null));
}
