/** What of a file an import may be asked to take alone. */
export const importParts = ['members', 'groups', 'switches'] as const
export type ImportPart = (typeof importParts)[number]

/** What a file is counted by. */
export const parts = ['members', 'groups', 'memberships', 'switches'] as const
export type Part = (typeof parts)[number]

/** What became of the rows of one kind. */
export interface Tally {
  added: number
  changed: number
  unchanged: number
  left_out: number
}
