/** Maximum numbers of rows of one system that are counted in `ext_usage`. */
export const rowLimits = { front_notes: 200_000, notes: 20_000, posts: 200_000 } as const

/** Maximum numbers of rows of one system that are few enough to be counted by index. */
export const smallLimits = {
  fields: 100,
  rooms: 200,
  polls: 1_000,
  reminders: 50,
  buckets: 20,
  friends: 200,
  invites: 10,
} as const
