// What the modules of the table hand to each other. Nothing here runs; `tsc` reads it.

/**
 * An operation of a JSON Patch (RFC 6902).
 * @typedef {{ op: "test" | "add" | "remove" | "replace", path: string, value?: any }} Operation
 */

/**
 * What a player can ask about a unit: the question, and which members of its case name who acts and on whom.
 * `several`: the target is a list. `pick`: the member that the answer of `targets` gives the values of. `who`: whether
 * the unit, as the scene has it, can be asked about.
 * @typedef {{ id: string, label: string, question: string, actor: string, target?: string, several?: boolean,
 *   pick?: (weapon: any, unit: any) => Record<string, any>, who?: (unit: any) => boolean }} Deed
 */

/**
 * What the table has to know about a game beside what the service says: where its scenes list units, and what to ask.
 * @typedef {{ units: [list: string, side: string | null][], deeds: Deed[], battle: Record<string, any> }} GameTable
 */

/**
 * A choice of a weapon or an action: what it is called, and the members of the case that it sets.
 * @typedef {{ label: string, members: Record<string, any> }} Pick
 */

/**
 * Everything on the page that a reload restores. `from` is "story", "own", or a question and the number of one of its
 * examples; `steps` are the moves and the changes taken since, each undone as one.
 * @typedef {{ game: string, from: string, scene?: any, steps: Operation[][], unit: string | null, deed: string | null,
 *   target: string | null, pick: Record<string, any> | null, seed: string | null,
 *   hand: Record<string, (number | string)[]>, choices: Record<string, any[]>, given: Record<string, any>,
 *   readings: Record<string, string>, view: "ruling" | "odds" | "best" }} State
 */

/**
 * Where units may stand in a picture.
 * @typedef {{ kind: "pointy" | "flat" | "square", scale: number, cells: [number, number, number, number][] }} CellGrid
 * @typedef {{ kind: "plane", x: number, y: number, scale: number, step: number, width: number, depth: number,
 *   unit: string }} PlaneGrid
 * @typedef {CellGrid | PlaneGrid} Grid
 * @typedef {{ place: [number, number], x: number, y: number }} Spot
 */

/**
 * A unit of the scene, as lists of the page show it.
 * @typedef {{ id: string, name: string, side: string, path: string, value: any }} UnitEntry
 */

export {};
