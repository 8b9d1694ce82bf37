import type { JsonObject } from '../../../src/model/core/entity'

/** Shapes of generated files: the sources that users have files from, and one with broken rows. */
export const shapes = ['export', 'legacy', 'cache', 'api', 'messy'] as const
export type Shape = (typeof shapes)[number]

export const sizes = {
  small: {
    members: 5,
    customFronts: 2,
    groups: 3,
    fronts: 40,
    notes: 4,
    rooms: 2,
    chat: 12,
    boards: 4,
    polls: 2,
  },
  typical: {
    members: 24,
    customFronts: 6,
    groups: 9,
    fronts: 2_500,
    notes: 60,
    rooms: 5,
    chat: 400,
    boards: 25,
    polls: 6,
  },
  large: {
    members: 400,
    customFronts: 20,
    groups: 60,
    fronts: 30_000,
    notes: 1_500,
    rooms: 30,
    chat: 20_000,
    boards: 600,
    polls: 60,
  },
} as const

export interface FileOptions {
  seed: number
  size: keyof typeof sizes
  shape: Shape
  isEncrypted?: boolean
}

/** Document of a collection. */
export type Document = JsonObject & { _id: string }

/** Facts that an import must find, by the IDs of the file. Times are in milliseconds. */
export interface Facts {
  system: { name: string; timezone: string }
  members: {
    id: string
    name: string
    archived: boolean
    reason: string | null
    announced: boolean
    descriptionLength: number
  }[]
  customFronts: { id: string; name: string }[]
  groups: {
    id: string
    name: string
    parent: string | null
    emoji: string | null
    members: string[]
  }[]
  fields: { id: string; name: string; type: string }[]
  values: { member: string; field: string; value: string }[]
  presences: Record<string, { from: number; to: number | null }[]>
  fronters: string[]
  statuses: { member: string; at: number; text: string }[]
  comments: { member: string; at: number; written: number; text: string }[]
  notes: {
    id: string
    member: string
    title: string | null
    text: string
    color: string | null
    date: number
  }[]
  rooms: { id: string; name: string; category: string | null; posts: number }[]
  chat: {
    id: string
    room: string
    by: string
    text: string
    replyTo: string | null
    edited: number | null
  }[]
  boards: { id: string; for: string; by: string; title: string; read: boolean }[]
  polls: {
    id: string
    name: string
    options: string[]
    votes: { member: string; option: string; comment: string | null }[]
  }[]
  reminders: {
    id: string
    name: string
    text: string | null
    every_days: number | null
    at: string | null
    from: string | null
    after: number | null
    on: string | null
  }[]
  /** Privacy buckets by name, with the IDs of what is in them. */
  buckets: { name: string; members: string[]; groups: string[]; fields: string[] }[]
  archived: Record<string, number>
  skippedChat: number
  /** Texts that an import must never store or show. */
  secrets: string[]
}
