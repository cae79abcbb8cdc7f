// Zoom of the picture: as large as its box allows, by buttons, keys, Ctrl and the wheel, or two fingers.

const zoom = { fitted: true, scale: 1 };
const smallest = 0.4, largest = 4, widest = 2;  // a picture of one thread is not fitted to the whole width
// A picture that would be fitted below this scale scrolls instead; on a phone its letters keep their 12 pixels.
const readable = () => (narrow.matches ? 1 : 0.8);

function pictures(box) {
  return [...box.querySelectorAll("svg")];
}

function fitting_scale(box) {
  const width = pictures(box).reduce((sum, svg) => sum + svg.viewBox.baseVal.width, 0);
  return width ? Math.max(readable(), Math.min(widest, (box.clientWidth - 2) / width)) : 1;
}

function apply_zoom(box) {
  if (zoom.fitted) zoom.scale = fitting_scale(box);
  for (const svg of pictures(box)) {
    svg.setAttribute("width", svg.viewBox.baseVal.width * zoom.scale);
    svg.setAttribute("height", svg.viewBox.baseVal.height * zoom.scale);
  }
  document.getElementById("fit").setAttribute("aria-pressed", String(zoom.fitted));
  document.getElementById("fit").textContent = zoom.fitted ? "Fit" : `${Math.round(zoom.scale * 100)} %`;
}

// Zooms about a point of the window, which stays where it is; without one, about the middle of the box.
function zoom_by(box, factor, point) {
  const frame = box.getBoundingClientRect(), x = (point ? point.x : frame.left + frame.width / 2) - frame.left, y = (point ? point.y : frame.top + frame.height / 2) - frame.top;
  const before = zoom.scale;
  zoom.fitted = false;
  zoom.scale = Math.max(smallest, Math.min(largest, zoom.scale * factor));
  apply_zoom(box);
  const grown = zoom.scale / before;
  box.scrollLeft = (box.scrollLeft + x) * grown - x;
  box.scrollTop = (box.scrollTop + y) * grown - y;
}

function fit(box) {
  zoom.fitted = true;
  apply_zoom(box);
}

function listen_to_zoom(box) {
  const button = (id, action) => { document.getElementById(id).onclick = action; };
  button("larger", () => zoom_by(box, 1.25));
  button("smaller", () => zoom_by(box, 0.8));
  button("fit", () => fit(box));
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;  // a pinch on a touchpad is a wheel with Ctrl
    event.preventDefault();
    zoom_by(box, Math.exp(-event.deltaY * 0.004), { x: event.clientX, y: event.clientY });
  }, { passive: false });
  let apart = 0;
  const distance = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  box.addEventListener("touchstart", (event) => { apart = event.touches.length === 2 ? distance(event.touches) : 0; }, { passive: true });
  box.addEventListener("touchmove", (event) => {
    if (!apart || event.touches.length !== 2) return;
    event.preventDefault();
    const now = distance(event.touches), [a, b] = event.touches;
    zoom_by(box, now / apart, { x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2 });
    apart = now;
  }, { passive: false });
  addEventListener("resize", () => { if (zoom.fitted) apply_zoom(box); });
}
