/** A condition that leaves out the rows of imports that are not finished. */
export function isFinished(table: string): string {
  return `(${table}.import_id is null
    or not exists (select 1 from imports where imports.id = ${table}.import_id))`
}
