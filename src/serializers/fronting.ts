import { type TSchema, Type } from '@sinclair/typebox'
import type { Day } from '../model/fronting/days'
import type { Hours } from '../model/fronting/hours'
import type { Pair } from '../model/fronting/pairs'
import type { Stint } from '../model/fronting/stints'
import type { Totals } from '../model/fronting/totals'
import { formatInstant } from '../model/time'
import { markSerialized, type SerializedObject, serializedJson } from './body'
import { EXAMPLE_MEMBER, mapOf } from './schema'

/** How stints and their sums are spelled: members by short ID, times in UTC, whole seconds. */

export function stintToV2({ member, from, to }: Stint): SerializedObject {
  return markSerialized({
    member,
    from: formatInstant(from),
    to: to === null ? null : formatInstant(to),
    open: to === null,
  })
}

export function totalsToV2({ since, until, members, ...sums }: Totals): SerializedObject {
  return markSerialized({
    since: formatInstant(since),
    until: formatInstant(until),
    ...sums,
    members: members.map(({ last, ...total }) => ({
      ...total,
      last: last === null ? null : formatInstant(last),
    })),
  })
}

export function dayToV2({ start, end, members, ...sums }: Day): SerializedObject {
  return markSerialized({
    start: formatInstant(start),
    end: formatInstant(end),
    ...sums,
    members: Object.fromEntries(members),
  })
}

/** All of them in JSON, one by one: they may be large together. */
export async function daysToV2(
  days: AsyncIterable<Day>,
): Promise<ReturnType<typeof serializedJson>> {
  const spelled: string[] = []
  for await (const day of days) spelled.push(JSON.stringify(dayToV2(day)))
  return serializedJson(`[${spelled.join()}]`)
}

export function hoursToV2({ members, weekdays }: Hours): SerializedObject {
  return markSerialized({ members: Object.fromEntries(members), weekdays })
}

export function pairToV2(pair: Pair): SerializedObject {
  return markSerialized({ ...pair })
}

const SECOND_EXAMPLE = 'hqkcoz'

const time = (description: string) => Type.String({ format: 'date-time', description })
const timeOrNull = (description: string) =>
  Type.Unsafe({ type: ['string', 'null'], format: 'date-time', description })
const seconds = (description: string) => Type.Integer({ minimum: 0, description })
const shortId = Type.String({ description: 'Short ID of a member' })
const closed = { additionalProperties: false }

const hidden = Type.Unsafe({
  type: ['object', 'null'],
  description: 'Members who are not shown to others, all together; null for the owner',
  properties: {
    time: seconds('Seconds in front, of each of them'),
    stints: Type.Integer(),
    members: Type.Integer({ description: 'How many they are' }),
  },
  required: ['time', 'stints', 'members'],
  additionalProperties: false,
})

const switches = Type.Integer({ description: 'How many switches there were' })
const nobody = seconds('Seconds in which nobody was in front')
const noneHidden = null

const dayHours = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 24, maxItems: 24 })

/** Hours of a clock, most of them zero. */
function exampleHours(filled: Record<number, number>): number[] {
  return Array.from({ length: 24 }, (_, hour) => filled[hour] ?? 0)
}

export const frontingComponents = {
  Stint: Type.Object(
    {
      member: shortId,
      from: time('When it began'),
      to: timeOrNull('When it ended; null while it lasts'),
      open: Type.Boolean({ description: 'Whether it lasts' }),
    },
    {
      ...closed,
      example: {
        member: EXAMPLE_MEMBER,
        from: '2026-05-01T18:30:00Z',
        to: '2026-05-01T21:00:00Z',
        open: false,
      },
    },
  ),
  FrontingTotals: Type.Object(
    {
      since: time('Where the span begins'),
      until: time('Where it ends'),
      switches,
      nobody,
      hidden,
      members: Type.Array(
        Type.Object(
          {
            member: shortId,
            time: seconds('Seconds in front'),
            share: Type.Number({ description: 'Of the whole span, with four decimals' }),
            stints: Type.Integer({ description: 'How many stints' }),
            longest: seconds('The longest of them'),
            shortest: seconds('The shortest'),
            average: seconds('Their mean'),
            median: seconds('The one in the middle'),
            last: timeOrNull('When the last one ended; null when it reaches the end of the span'),
          },
          closed,
        ),
        { description: 'Who was in front, longest first' },
      ),
    },
    {
      ...closed,
      example: {
        since: '2026-04-01T00:00:00Z',
        until: '2026-05-01T00:00:00Z',
        switches: 3,
        nobody: 7200,
        hidden: noneHidden,
        members: [
          {
            member: EXAMPLE_MEMBER,
            time: 648000,
            share: 0.25,
            stints: 2,
            longest: 600000,
            shortest: 48000,
            average: 324000,
            median: 324000,
            last: null,
          },
        ],
      },
    },
  ),
  FrontingDay: Type.Object(
    {
      start: time('Where the day, week or month begins'),
      end: time('Where the next one begins'),
      switches,
      nobody,
      hidden,
      members: mapOf(Type.Integer({ minimum: 0 }), 'Seconds in front, by short ID'),
    },
    {
      ...closed,
      example: {
        start: '2026-03-28T23:00:00Z',
        end: '2026-03-29T22:00:00Z',
        switches: 2,
        nobody: 0,
        hidden: noneHidden,
        members: { [SECOND_EXAMPLE]: 3600, [EXAMPLE_MEMBER]: 82800 },
      },
    },
  ),
  FrontingHours: Type.Object(
    {
      members: mapOf(dayHours, 'Seconds in front by hour of the day, by short ID'),
      weekdays: Type.Array(dayHours, {
        minItems: 7,
        maxItems: 7,
        description: 'All of these members together, Monday first',
      }),
    },
    {
      ...closed,
      example: {
        members: { [EXAMPLE_MEMBER]: exampleHours({ 18: 1800, 19: 3600 }) },
        weekdays: Array.from({ length: 7 }, (_, weekday) =>
          exampleHours(weekday === 4 ? { 18: 1800, 19: 3600 } : {}),
        ),
      },
    },
  ),
  FrontingPair: Type.Object(
    {
      members: Type.Array(shortId, { minItems: 2, maxItems: 2 }),
      time: seconds('Seconds in which both were in front'),
      times: Type.Integer({ minimum: 1, description: 'How many unbroken times' }),
    },
    {
      ...closed,
      example: { members: [SECOND_EXAMPLE, EXAMPLE_MEMBER], time: 5400, times: 2 },
    },
  ),
} satisfies Record<string, TSchema>
