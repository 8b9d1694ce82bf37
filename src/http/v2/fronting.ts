import { t } from 'elysia'
import type { Viewer } from '../../model/core/privacy'
import { periods } from '../../model/insights/calendar'
import { MAX_DAYS } from '../../model/insights/days'
import { MAX_PAIRS } from '../../model/insights/pairs'
import { MAX_STINTS, STINTS_PER_PAGE } from '../../model/insights/stints'
import { daysToV2, hoursToV2, pairToV2, stintToV2, totalsToV2 } from '../../serializers/fronting'
import { authenticateCalendar } from '../../service/access/credentials'
import type { Deps } from '../../service/core/deps'
import {
  frontingKinds,
  getCalendar,
  getHours,
  getTotals,
  listDays,
  listPairs,
  listStints,
} from '../../service/insights/insights'
import { describe } from '../server/openapi'
import {
  parameter,
  parameters,
  parseEnum,
  parseLimit,
  parseText,
  parseTime,
  parseZone,
  requireSingleValue,
} from '../server/query'
import { respondAndDetach } from '../server/response'
import { routes, waitingClientOf } from '../server/routeGroup'
import { systemRef } from './params'

const TAG = 'Fronting'

const ofSystem = t.Object({ systemRef })

const span = {
  since: parameter({
    type: 'string',
    format: 'date-time',
    description: 'Start of the time range; defaults to 30 days before its end',
  }),
  until: parameter({
    type: 'string',
    format: 'date-time',
    description: 'End of the time range; defaults to now',
  }),
  zone: parameter({
    type: 'string',
    description:
      'Time zone name for days and hours; defaults to the system’s time zone for its owner, and to UTC for other callers',
    example: 'Europe/Oslo',
  }),
  kind: parameter({
    type: 'string',
    enum: [...frontingKinds],
    description: 'Only members or only custom fronts; both by default',
  }),
}

type SpanQuery = { since?: unknown; until?: unknown; zone?: unknown; kind?: unknown }

function parseSpan({ since, until, zone, kind }: SpanQuery) {
  return {
    since: parseTime('since', since),
    until: parseTime('until', until),
    zone: parseZone('zone', zone),
    kind: kind === undefined ? null : parseEnum('kind', kind, frontingKinds),
  }
}

const errors = ['badRequest', 'unauthorized', 'systemNotFound', 'historyHidden'] as const

/** Authenticates a token in the URL, which only the calendar accepts. Its `+` arrives as a space. */
async function authenticateByQuery(deps: Deps, viewer: Viewer, value: unknown): Promise<Viewer> {
  const token = requireSingleValue('token', value)
  return token === undefined ? viewer : authenticateCalendar(deps, token.replaceAll(' ', '+'))
}

/** Statistics of the front history, and its calendar. */
export function frontingRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/:systemRef/fronting/stints',
      async ({ params, query, viewer, request }) => {
        const range = {
          ...parseSpan(query),
          before: parseTime('before', query.before),
          limit: parseLimit(query.limit, STINTS_PER_PAGE, MAX_STINTS),
          member: parseText('member', query.member),
        }
        const client = waitingClientOf(request)
        const stints = await listStints(deps, viewer, params.systemRef, range, client)
        return stints.map(stintToV2)
      },
      {
        params: ofSystem,
        query: parameters({
          ...span,
          before: parameter({
            type: 'string',
            format: 'date-time',
            description: 'Return only stints that began before this time',
          }),
          limit: parameter({
            type: 'integer',
            minimum: 1,
            description: `Number of stints; default ${STINTS_PER_PAGE}, at most ${MAX_STINTS}`,
          }),
          member: parameter({
            type: 'string',
            description: 'Return only stints of this member, by short ID or UUID',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'listStints',
          summary: 'List stints',
          description:
            'A stint is an uninterrupted period in which a member fronts; a switch that keeps the member does not end it. Returns all stints that overlap the time range, uncut, newest first. For the next page, pass the last `from` as `before`. Stints that began at the same time are never split between pages, so a page may exceed `limit`.',
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
          summary: 'Get fronting totals',
          description:
            'Returns the fronting time and the number of stints per member. Stints are cut at the boundaries of the time range. Co-fronting members are counted individually, so shares may add up to more than 1.',
          responses: { 200: 'FrontingTotals' },
          errors: [...errors],
        }),
      },
    )
    .get(
      '/systems/:systemRef/fronting/days',
      async ({ params, query, viewer, request }) => {
        const by = query.by === undefined ? 'day' : parseEnum('by', query.by, periods)
        const range = { ...parseSpan(query), by }
        const client = waitingClientOf(request)
        return daysToV2(await listDays(deps, viewer, params.systemRef, range, client))
      },
      {
        params: ofSystem,
        query: parameters({
          ...span,
          by: parameter({
            type: 'string',
            enum: [...periods],
            description: 'Period: day (default), week (from Monday) or month',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'listFrontingDays',
          summary: 'List fronting time by day',
          description: `Returns the fronting time per member for each day, week or month in the time zone, oldest first; at most ${MAX_DAYS} periods. A day of 23 or 25 hours is one day. \`start\` and \`end\` are those of the calendar period; sums include only time within the range.`,
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
          summary: 'Get fronting time by hour of day',
          description:
            'Returns the seconds per member for each local hour of the day in the time zone.',
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
          summary: 'List co-fronting pairs',
          description: `Returns the time that pairs of members fronted together, longest first; at most ${MAX_PAIRS} pairs. The members of a pair are sorted by ID.`,
          responses: { 200: ['FrontingPair'] },
          errors: [...errors],
        }),
      },
    )
    .get(
      '/systems/:systemRef/fronting.ics',
      async ({ params, query, viewer, request }) => {
        const subscriber = await authenticateByQuery(deps, viewer, query.token)
        const client = waitingClientOf(request)
        const range = parseSpan(query)
        const file = await getCalendar(deps, subscriber, params.systemRef, range, client)
        const isAuthenticated = subscriber.system !== null
        return respondAndDetach(request, file, () => ({
          'content-type': 'text/calendar; charset=utf-8',
          // Shared caches must not store a response that a token in the URL authorized.
          ...(isAuthenticated && { 'cache-control': 'private, no-cache' }),
        }))
      },
      {
        params: ofSystem,
        query: parameters({
          since: span.since,
          until: span.until,
          token: parameter({
            type: 'string',
            description: 'Token of the scope `calendar`, for a front history that is not public',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'getFrontingCalendar',
          summary: 'Get the front history as a calendar feed',
          description:
            'For calendar applications, which poll this URL. Events are uncut stints. An ongoing stint ends at the time of the request and keeps its `UID`.',
          responses: { 200: t.String() },
          types: ['text/calendar'],
          errors: [...errors],
        }),
      },
    )
}
