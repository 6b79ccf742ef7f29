// The types that the modules of the table exchange. Nothing here runs; `tsc` reads it.

/**
 * An operation of a JSON Patch (RFC 6902).
 * @typedef {{ op: "test" | "add" | "remove" | "replace", path: string, value?: any }} Operation
 */

/**
 * A question about a unit, and the members of its case that name the actor and the target. `several`: the target is a
 * list. `by_rules`: only for units that no player moves. `weapons`: the members that name weapons.
 * @typedef {{ question: string, label: string, actor: string, target: string | null, several: boolean,
 *   by_rules: boolean, weapons: string[] }} Deed
 */

/**
 * The facts of a game from the service: where its scenes list units, what can be asked about one, which questions have
 * dice, and how a battle is played out.
 * @typedef {{ name: string, title: string, rosters: { list: string, side: string | null }[], deeds: Deed[],
 *   questions: { name: string, dice: boolean }[],
 *   battle: { case: Record<string, number>, policies: Record<string, string> } | null }} Game
 */

/**
 * A ruling as a page shows it, as the service writes it.
 * @typedef {{ text: string, rule: string, path?: string, cites: string[] }} Step
 * @typedef {{ about: string, name: string, gist: string, tone: string, steps: Step[] }} Group
 * @typedef {{ verdict: string, tone: string, gist: string, why: Group[],
 *   picture: string | null, ruling: any }} Sheet
 */

/**
 * A choice of a weapon or an action: its name, and the members of the case that it sets.
 * @typedef {{ label: string, members: Record<string, any> }} Pick
 */

/**
 * The state that a reload restores. `from` is "story", "own", or a question and the number of one of its examples;
 * `steps` are the moves and changes since, each undone as one. `others` are members of a question's case that no tool
 * shows; they are sent again with the question.
 * @typedef {{ game: string, from: string, scene?: any, steps: Operation[][], unit: string | null, deed: string | null,
 *   target: string | null, pick: Record<string, any> | null, seed: string | null,
 *   hand: Record<string, (number | string)[]>, choices: Record<string, any[]>, given: Record<string, any>,
 *   readings: Record<string, string>, others: Record<string, Record<string, any>>, view: "ruling" | "odds" | "best" }} State
 */

/**
 * The possible positions of units in a picture.
 * @typedef {{ kind: "pointy" | "flat" | "square", scale: number, cells: [number, number, number, number][] }} CellGrid
 * @typedef {{ kind: "plane", x: number, y: number, scale: number, step: number, width: number, depth: number,
 *   unit: string }} PlaneGrid
 * @typedef {CellGrid | PlaneGrid} Grid
 * @typedef {{ place: [number, number], x: number, y: number }} Spot
 */

/**
 * A unit of the scene, for the lists of the page.
 * @typedef {{ id: string, side: string, path: string, value: any }} UnitEntry
 */

export {};
