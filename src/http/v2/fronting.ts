import { t } from 'elysia'
import { periods } from '../../model/fronting/calendar'
import { MAX_DAYS } from '../../model/fronting/days'
import { MAX_PAIRS } from '../../model/fronting/pairs'
import { MAX_STINTS, STINTS_PER_PAGE } from '../../model/fronting/stints'
import type { Viewer } from '../../model/privacy'
import { daysToV2, hoursToV2, pairToV2, stintToV2, totalsToV2 } from '../../serializers/fronting'
import { authenticateCalendar } from '../../service/access/credentials'
import type { Deps } from '../../service/deps'
import {
  getCalendar,
  getHours,
  getTotals,
  listDays,
  listPairs,
  listStints,
} from '../../service/fronting/fronting'
import { waitingClientOf } from '../context'
import { describe } from '../openapi'
import {
  parameter,
  parameters,
  parseEnum,
  parseLimit,
  parseText,
  parseTime,
  parseZone,
  requireSingleValue,
} from '../query'
import { respondWithBytes } from '../response'
import { routes } from '../routeGroup'
import { systemRef } from './params'

const TAG = 'Fronting'

const ofSystem = t.Object({ systemRef })

const span = {
  since: parameter({
    type: 'string',
    format: 'date-time',
    description: 'Where the span begins; 30 days before its end when left out',
  }),
  until: parameter({
    type: 'string',
    format: 'date-time',
    description: 'Where the span ends; now when left out',
  }),
  zone: parameter({
    type: 'string',
    description:
      'Name of a time zone, for days and hours; when left out it is the owner’s own for the owner, and UTC for others',
    example: 'Europe/Oslo',
  }),
}

type SpanQuery = { since?: unknown; until?: unknown; zone?: unknown }

function parseSpan({ since, until, zone }: SpanQuery) {
  return {
    since: parseTime('since', since),
    until: parseTime('until', until),
    zone: parseZone('zone', zone),
  }
}

const errors = ['badRequest', 'unauthorized', 'systemNotFound', 'historyHidden'] as const

/** The one place where a token stands in an address: a plus sign in it arrives as a space. */
async function findAsker(deps: Deps, viewer: Viewer, given: unknown): Promise<Viewer> {
  const token = requireSingleValue('token', given)
  return token === undefined ? viewer : authenticateCalendar(deps, token.replaceAll(' ', '+'))
}

/** How long, how often, when and with whom. */
export function frontingRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/:systemRef/fronting/stints',
      async ({ params, query, viewer, request }) => {
        const asked = {
          ...parseSpan(query),
          before: parseTime('before', query.before),
          limit: parseLimit(query.limit, STINTS_PER_PAGE, MAX_STINTS),
          member: parseText('member', query.member),
        }
        const client = waitingClientOf(request)
        const stints = await listStints(deps, viewer, params.systemRef, asked, client)
        return stints.map(stintToV2)
      },
      {
        params: ofSystem,
        query: parameters({
          ...span,
          before: parameter({
            type: 'string',
            format: 'date-time',
            description: 'Only stints that began before this time',
          }),
          limit: parameter({
            type: 'integer',
            minimum: 1,
            description: `How many; ${STINTS_PER_PAGE} when left out, and at most ${MAX_STINTS}`,
          }),
          member: parameter({
            type: 'string',
            description: 'Only of this member, by short ID or UUID',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'listStints',
          summary: 'List stints, newest first',
          description:
            'A stint is the time a member is in front without a break: a switch that keeps them does not end it. Listed is what overlaps the span, whole. For the next page, give the last `from` as `before`; those that began at the same moment are never split, so a page may be longer than `limit`.',
          responses: { 200: ['Stint'] },
          errors: [...errors, 'memberNotFound'],
        }),
      },
    )
    .get(
      '/systems/:systemRef/fronting/totals',
      async ({ params, query, viewer, request }) => {
        const client = waitingClientOf(request)
        return totalsToV2(await getTotals(deps, viewer, params.systemRef, parseSpan(query), client))
      },
      {
        params: ofSystem,
        query: parameters(span),
        detail: describe({
          tag: TAG,
          id: 'getFrontingTotals',
          summary: 'Get how long and how often everybody was in front',
          description:
            'Stints are cut where the span begins and ends. Where several front together each of them counts, so shares may sum above 1.',
          responses: { 200: 'FrontingTotals' },
          errors: [...errors],
        }),
      },
    )
    .get(
      '/systems/:systemRef/fronting/days',
      async ({ params, query, viewer, request }) => {
        const by = query.by === undefined ? 'day' : parseEnum('by', query.by, periods)
        const asked = { ...parseSpan(query), by }
        const client = waitingClientOf(request)
        return daysToV2(await listDays(deps, viewer, params.systemRef, asked, client))
      },
      {
        params: ofSystem,
        query: parameters({
          ...span,
          by: parameter({
            type: 'string',
            enum: [...periods],
            description: 'Days, weeks from Monday, or months; days when left out',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'listFrontingDays',
          summary: 'List who was in front on each day, oldest first',
          description: `Days, weeks or months of the zone’s calendar, at most ${MAX_DAYS}; a day of 23 or 25 hours is one. \`start\` and \`end\` are the calendar’s, the sums are of what lies in the span.`,
          responses: { 200: ['FrontingDay'] },
          errors: [...errors],
        }),
      },
    )
    .get(
      '/systems/:systemRef/fronting/hours',
      async ({ params, query, viewer, request }) => {
        const client = waitingClientOf(request)
        return hoursToV2(await getHours(deps, viewer, params.systemRef, parseSpan(query), client))
      },
      {
        params: ofSystem,
        query: parameters(span),
        detail: describe({
          tag: TAG,
          id: 'getFrontingHours',
          summary: 'Get at which hours everybody was in front',
          description: 'Seconds by the hour that the zone’s clocks show.',
          responses: { 200: 'FrontingHours' },
          errors: [...errors],
        }),
      },
    )
    .get(
      '/systems/:systemRef/fronting/pairs',
      async ({ params, query, viewer, request }) => {
        const client = waitingClientOf(request)
        const pairs = await listPairs(deps, viewer, params.systemRef, parseSpan(query), client)
        return pairs.map(pairToV2)
      },
      {
        params: ofSystem,
        query: parameters(span),
        detail: describe({
          tag: TAG,
          id: 'listFrontingPairs',
          summary: 'List who was in front together, longest first',
          description: `At most ${MAX_PAIRS} pairs, each sorted by ID.`,
          responses: { 200: ['FrontingPair'] },
          errors: [...errors],
        }),
      },
    )
    .get(
      '/systems/:systemRef/fronting.ics',
      async ({ params, query, viewer, request }) => {
        const subscriber = await findAsker(deps, viewer, query.token)
        const client = waitingClientOf(request)
        const asked = parseSpan(query)
        const file = await getCalendar(deps, subscriber, params.systemRef, asked, client)
        const isKnown = subscriber.system !== null
        return respondWithBytes(request, file, {
          'content-type': 'text/calendar; charset=utf-8',
          // No cache on the way keeps what a token in the address opened.
          ...(isKnown && { 'cache-control': 'private, no-cache' }),
        })
      },
      {
        params: ofSystem,
        query: parameters({
          since: span.since,
          until: span.until,
          token: parameter({
            type: 'string',
            description: 'A token of the scope `calendar`, for a history that is not public',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'getFrontingCalendar',
          summary: 'Subscribe to a calendar of stints',
          description:
            'For calendar programs, which fetch this address again and again. Events are whole stints; one that lasts ends for now when it is fetched, and keeps its `UID`.',
          responses: { 200: t.String() },
          types: ['text/calendar'],
          errors: [...errors],
        }),
      },
    )
}
