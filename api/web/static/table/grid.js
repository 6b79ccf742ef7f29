// The positions of units: the nearest cell, or a step of the plane, from the grid data of the picture.

/** @typedef {import("./types.js").Grid} Grid */
/** @typedef {import("./types.js").Spot} Spot */

/** @param {number} value @param {number} low @param {number} high */
const within = (value, low, high) => Math.min(high, Math.max(low, value));

/**
 * Give the position nearest to a point of the picture.
 * @param {Grid} grid
 * @param {number} x
 * @param {number} y
 * @returns {Spot}
 */
export function snap(grid, x, y) {
  if (grid.kind !== "plane") {
    let best = grid.cells[0];
    let least = Infinity;
    for (const cell of grid.cells) {
      const distance = (cell[2] - x) ** 2 + (cell[3] - y) ** 2;
      if (distance < least) [best, least] = [cell, distance];
    }
    return { place: [best[0], best[1]], x: best[2], y: best[3] };
  }
  const step = (/** @type {number} */ length) => Math.round(length / grid.step) * grid.step;
  const across = within(step((x - grid.x) / grid.scale), 0, grid.width);
  const up = within(step((grid.y - y) / grid.scale), 0, grid.depth);
  return spot(grid, [across, up]);
}

/**
 * Give the point of the picture for a position.
 * @param {Grid} grid
 * @param {[number, number]} place
 * @returns {Spot}
 */
export function spot(grid, place) {
  if (grid.kind === "plane") {
    return { place, x: grid.x + place[0] * grid.scale, y: grid.y - place[1] * grid.scale };
  }
  const cell = grid.cells.find(([a, b]) => a === place[0] && b === place[1]);
  return { place, x: cell?.[2] ?? 0, y: cell?.[3] ?? 0 };
}

/**
 * Give the next position in a direction of the arrow keys.
 * @param {Grid} grid
 * @param {number} x
 * @param {number} y
 * @param {[number, number]} direction
 * @returns {Spot}
 */
export function next(grid, x, y, [dx, dy]) {
  if (grid.kind === "plane") {
    const step = grid.step * grid.scale;
    return snap(grid, x + dx * step, y + dy * step);
  }
  // Of the neighbours in that direction, the one with the smallest angle; hexes have none straight up or down.
  let best = snap(grid, x, y);
  let most = 0.3;
  for (const [a, b, cx, cy] of grid.cells) {
    const distance = Math.hypot(cx - x, cy - y);
    if (distance < 1 || distance > grid.scale * 1.3) continue;
    const along = ((cx - x) * dx + (cy - y) * dy) / distance;
    if (along > most) [best, most] = [{ place: [a, b], x: cx, y: cy }, along];
  }
  return best;
}
