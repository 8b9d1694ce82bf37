import { type TSchema, Type } from '@sinclair/typebox'
import type { SerializedJson } from '../model/core/privacy'
import { formatInstant } from '../model/core/time'
import type { Day } from '../model/insights/days'
import type { Hours } from '../model/insights/hours'
import type { Pair } from '../model/insights/pairs'
import type { Stint } from '../model/insights/stints'
import type { Totals } from '../model/insights/totals'
import { markSerialized, type SerializedObject, serializedJson } from './body'
import { EXAMPLE_MEMBER, mapOf } from './schema'

/** Serializers of stints and statistics: members are short IDs, times UTC, durations seconds. */

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

/** Serializes the days one by one, because together they may be large. */
export async function daysToV2(days: AsyncIterable<Day>): Promise<SerializedJson> {
  const serialized: string[] = []
  for await (const day of days) serialized.push(JSON.stringify(dayToV2(day)))
  return serializedJson(`[${serialized.join()}]`)
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
  description: 'Sum of the members that are hidden from the caller; null for the owner',
  properties: {
    time: seconds('Total fronting time of these members in seconds'),
    stints: Type.Integer(),
    members: Type.Integer({ description: 'Number of hidden members' }),
  },
  required: ['time', 'stints', 'members'],
  additionalProperties: false,
})

const switches = Type.Integer({ description: 'Number of switches' })
const nobody = seconds('Seconds in which nobody fronted')
const noneHidden = null

const dayHours = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 24, maxItems: 24 })

/** Builds example seconds per hour, most of them zero. */
function exampleHours(filled: Record<number, number>): number[] {
  return Array.from({ length: 24 }, (_, hour) => filled[hour] ?? 0)
}

export const frontingComponents = {
  Stint: Type.Object(
    {
      member: shortId,
      from: time('Start of the stint'),
      to: timeOrNull('End of the stint; null while it is ongoing'),
      open: Type.Boolean({ description: 'Whether the stint is ongoing' }),
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
      since: time('Start of the time range'),
      until: time('End of the time range'),
      switches,
      nobody,
      hidden,
      members: Type.Array(
        Type.Object(
          {
            member: shortId,
            time: seconds('Total fronting time in seconds'),
            share: Type.Number({
              description: 'Share of the time range, from 0 to 1, with four decimals',
            }),
            stints: Type.Integer({ description: 'Number of stints' }),
            longest: seconds('Longest stint in seconds'),
            shortest: seconds('Shortest stint in seconds'),
            average: seconds('Mean length of a stint in seconds'),
            median: seconds('Median length of a stint in seconds'),
            last: timeOrNull(
              'End of the last stint; null if it lasts until the end of the time range',
            ),
          },
          closed,
        ),
        { description: 'Members that fronted, longest total time first' },
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
      start: time('Start of the day, week or month'),
      end: time('Start of the next one'),
      switches,
      nobody,
      hidden,
      members: mapOf(
        Type.Integer({ minimum: 0 }),
        'Fronting time in seconds, by short ID of the member',
      ),
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
      members: mapOf(
        dayHours,
        'Fronting time in seconds per hour of the day, by short ID of the member',
      ),
      weekdays: Type.Array(dayHours, {
        minItems: 7,
        maxItems: 7,
        description: 'Sum of these members per weekday and hour, Monday first',
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
      time: seconds('Seconds in which both fronted'),
      times: Type.Integer({ minimum: 1, description: 'Number of uninterrupted periods' }),
    },
    {
      ...closed,
      example: { members: [SECOND_EXAMPLE, EXAMPLE_MEMBER], time: 5400, times: 2 },
    },
  ),
} satisfies Record<string, TSchema>
