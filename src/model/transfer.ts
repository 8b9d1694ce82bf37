/** Parts of a file that can be imported separately. */
export const importParts = ['members', 'groups', 'switches'] as const
export type ImportPart = (typeof importParts)[number]

/** Results of an import; a refused one found too many others. */
export const importResults = ['done', 'failed', 'refused'] as const
export type ImportResult = (typeof importResults)[number]

/** Kinds of rows that are counted in a file. */
export const parts = ['members', 'groups', 'memberships', 'switches'] as const
export type Part = (typeof parts)[number]

/** Import results for one kind of rows. */
export interface Tally {
  added: number
  changed: number
  unchanged: number
  left_out: number
}
