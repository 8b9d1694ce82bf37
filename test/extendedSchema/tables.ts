import { type Entity, entity, type Fields } from '../../src/model/core/entity'
import {
  choice,
  clientTimestamp,
  color,
  count,
  date,
  type Field,
  flag,
  nullableCount,
  nullableFlag,
  nullableSnowflake,
  proxyTags,
  reference,
  snowflakes,
  text,
  textList,
  textOr,
  timestamp,
  timezone,
  url,
} from '../../src/model/core/field'

/** Privacy level that every table with levels gets; guards all added fields. */
export const LEVEL = 'tea_privacy'

/** Added field that clients cannot write. */
export const READONLY_TIME = 'tea_readonly_time'

export interface AddedField {
  field: (options: { doc: string; guard?: string }) => Field
  /** Value that a client sends and gets back. */
  sent: unknown
  /** Value that other callers get while the field is private. */
  hidden: unknown
}

/** One additional field of every kind. */
export const addedFields: Record<string, AddedField> = {
  tea_text: { field: (o) => text({ max: 50, ...o }), sent: 'Assam "1"', hidden: null },
  tea_text_or: { field: (o) => textOr('Tea', { max: 50, ...o }), sent: 'Sencha', hidden: null },
  tea_color: { field: color, sent: '88c0a8', hidden: null },
  tea_url: { field: url, sent: 'https://example.org/tea.png', hidden: null },
  tea_date: { field: date, sent: '0004-02-29', hidden: null },
  tea_time: { field: clientTimestamp, sent: '2026-01-02T03:04:05.250001Z', hidden: null },
  tea_flag: { field: (o) => flag(false, o), sent: true, hidden: null },
  tea_maybe_flag: { field: nullableFlag, sent: false, hidden: null },
  tea_count: { field: (o) => count(0, o), sent: 7, hidden: null },
  tea_maybe_count: { field: nullableCount, sent: 0, hidden: null },
  tea_choice: {
    field: (o) => choice(['green', 'black'], { defaultValue: 'green', ...o }),
    sent: 'black',
    hidden: null,
  },
  tea_zone: { field: timezone, sent: 'Europe/Oslo', hidden: null },
  tea_texts: {
    field: (o) => textList({ maxItems: 3, max: 9, ...o }),
    sent: ['a', 'b'],
    hidden: [],
  },
  tea_tags: { field: proxyTags, sent: [{ prefix: 't:', suffix: null }], hidden: [] },
  tea_reference: { field: reference, sent: 'abcde', hidden: null },
  tea_id: { field: nullableSnowflake, sent: '400000000000000009', hidden: null },
  tea_ids: {
    field: (o) => snowflakes({ maxItems: 5, ...o }),
    sent: ['400000000000000009'],
    hidden: [],
  },
}

/** Replaces `entity` in the copy of the repository: the same table with additional fields. */
export function grown<F extends Fields, const L extends string = never>(
  name: string,
  fields: F,
  levels: readonly L[] = [],
): Entity<F, L> {
  const options = { doc: 'Tea', ...(levels.length > 0 && { guard: LEVEL }) }
  const additional = Object.entries(addedFields).map(([key, { field }]) => [key, field(options)])
  const extendedFields = {
    ...fields,
    ...Object.fromEntries(additional),
    [READONLY_TIME]: timestamp(options),
  }
  const extendedLevels = levels.length > 0 ? [...levels, LEVEL as L] : levels
  return entity(name, extendedFields, extendedLevels)
}
