import { Database } from 'bun:sqlite'
import { afterAll } from '../tools/test'

/** Opens a database file to read the plans of statements, until the tests of the file have ended. */
export function openPlans(path: string) {
  const reader = new Database(path, { readonly: true })
  afterAll(() => reader.close())

  const planOf = (statement: string): string[] =>
    reader
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${statement}`)
      .all()
      .map(({ detail }) => detail)

  /** Returns the lines of a plan that scan a whole table or index. */
  const scansOf = (statement: string): string[] => {
    const plan = planOf(statement)
    // Scanning the result of a subquery is allowed.
    const subqueries = plan.flatMap(
      (detail) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)$/.exec(detail)?.[1] ?? [],
    )
    const isAllowed = (name: string, rest: string) =>
      /^(json_each$|CONSTANT$|\()/.test(name) ||
      subqueries.includes(name) ||
      // json_each is the only virtual table.
      rest.startsWith('VIRTUAL TABLE')
    return plan.filter((detail) => {
      const [, name = '', rest = ''] = /^SCAN (\S+) ?(.*)$/.exec(detail) ?? []
      return name !== '' && !isAllowed(name, rest)
    })
  }

  return { reader, planOf, scansOf }
}
