/** A condition that leaves out the rows of imports that are not finished. */
export function isFinished(table: string): string {
  return `(${table}.import_id is null
    or not exists (select 1 from imports where imports.id = ${table}.import_id))`
}

/**
 * The same for switches, and leaves out those that only wait to be removed. Where it is known before
 * which was the last of these, it need not be looked up for every switch.
 */
export function isCurrent(switches: string, last = lastForgotten(`${switches}.system_id`)): string {
  // The sign keeps SQLite from going through all switches of the server by their numbers.
  return `(+${switches}.id > ${last} and ${isFinished(switches)})`
}

/** Of a history that was deleted whole. */
export function isForgotten(switches: string): string {
  return `+${switches}.id <= ${lastForgotten(`${switches}.system_id`)}`
}

/** The number of a system's last switch that only waits to be removed, with all before it. */
export function lastForgotten(system: string): string {
  return `(select whose.forgotten_switches from systems whose where whose.id = ${system})`
}
