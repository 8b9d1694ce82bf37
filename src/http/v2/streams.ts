import { t } from 'elysia'
import type { Events } from '../../events/events'
import { eventsOfSystemAfter, latestEventId, type StoredEvent } from '../../events/outbox'
import { spellEvent } from '../../events/spell'
import type { Reader } from '../../events/stream'
import { error } from '../../model/errors'
import type { EventType } from '../../model/events'
import { isOwner, type Viewer } from '../../model/privacy'
import type { Deps } from '../../service/deps'
import { getFronters } from '../../service/switches'
import { getSystem, getSystemById, requireSystem } from '../../service/systems'
import { describe } from '../docs'
import { findCaller, routes } from '../viewer'
import { systemRef } from './params'
import { showFront } from './views'

const TAG = 'Events'
const PAGE = 200

/** What can change who fronts, or what is seen of them. */
const frontChanges = new Set<string>([
  'CREATE_SWITCH',
  'UPDATE_SWITCH',
  'DELETE_SWITCH',
  'DELETE_ALL_SWITCHES',
  'UPDATE_MEMBER',
  'DELETE_MEMBER',
  'UPDATE_SYSTEM',
  'SUCCESSFUL_IMPORT',
] satisfies EventType[])

/** Live streams as Server-Sent Events. */
export function streamRoutes(deps: Deps, events: Events, bodyLimit: number) {
  const asked: Asked = new Map()
  return routes(bodyLimit)
    .get(
      '/systems/@me/events',
      async ({ request, viewer }) => {
        const system = await getSystemById(deps.db, requireSystem(viewer))
        const since = readLastEventId(request.headers)
        return eventStream(request, events, (reader) => {
          reader.mayStay = () => isStill(deps, request, viewer)
          return follow(events, reader, system, since)
        })
      },
      {
        detail: describe({
          tag: TAG,
          summary: 'Follow all events of the own system',
          description: 'With `Last-Event-ID`, what was missed comes first.',
          answers: { 200: eventStreamSchema },
          errors: ['badRequest', 'unauthorized'],
        }),
      },
    )
    .get(
      '/systems/:systemRef/fronters/stream',
      async ({ params, request, viewer }) => {
        const system = await getSystem(deps, viewer, params.systemRef)
        await getFronters(deps, viewer, system)
        return eventStream(request, events, (reader) => {
          reader.mayStay = () => isStill(deps, request, viewer)
          return followFronters(deps, events, asked, reader, viewer, system.id)
        })
      },
      {
        params: t.Object({ systemRef }),
        detail: describe({
          tag: TAG,
          summary: 'Follow who fronts',
          description: 'One `fronters` event at once, then one at each change.',
          answers: { 200: eventStreamSchema },
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'frontersHidden'],
        }),
      },
    )
}

const eventStreamSchema = t.String({ description: 'Server-Sent Events' })

function eventStream(
  request: Request,
  { streams }: Events,
  begin: (reader: Reader) => () => void,
): Response {
  const body = request.method === 'HEAD' ? null : streams.open(begin)
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // nginx would hold the stream back otherwise.
      'x-accel-buffering': 'no',
    },
  })
}

/** Sends what was missed, then what happens; live events wait until the past is told. */
function follow(
  { deps, hub }: Events,
  reader: Reader,
  { id, uuid }: { id: number; uuid: string },
  since: number | null,
): () => void {
  let sent = since ?? 0
  let waiting: StoredEvent[] | null = []
  const tell = (event: StoredEvent) => {
    if (event.id <= sent) return
    sent = event.id
    reader.send({ id: event.id, event: event.type, data: spellEvent(event, uuid) })
  }
  const stop = hub.listen(id, (event) => (waiting ? waiting.push(event) : tell(event)))
  const tellPast = async () => {
    if (since === null) sent = await latestEventId(deps.db)
    for (;;) {
      const page = await eventsOfSystemAfter(deps.db, id, sent, PAGE)
      for (const event of page) tell(event)
      if (page.length < PAGE) break
    }
    for (const event of waiting ?? []) tell(event)
    waiting = null
  }
  tellPast().catch(() => reader.end())
  return stop
}

/** Sends who fronts whenever that is something else than before, as this viewer may see it. */
function followFronters(
  deps: Deps,
  { hub }: Events,
  asked: Asked,
  reader: Reader,
  viewer: Viewer,
  systemId: number,
): () => void {
  let last: string | undefined
  const tell = async (id: number) => {
    const data = await sharedFront(deps, asked, viewer, systemId)
    const text = JSON.stringify(data)
    if (text === last) return
    last = text
    reader.send({ id, event: 'fronters', data })
  }
  // Each waits for the one before, so that an older answer never overtakes a newer one.
  let turn = latestEventId(deps.db).then(tell)
  turn.catch(() => reader.end())
  return hub.listen(systemId, ({ id, type }) => {
    if (!frontChanges.has(type)) return
    turn = turn.then(() => tell(id))
    turn.catch(() => reader.end())
  })
}

type Asked = Map<string, Promise<object | null>>

/** A thousand widgets of one system ask the same at the same moment: it is looked up once. */
function sharedFront(deps: Deps, asked: Asked, viewer: Viewer, systemId: number) {
  const owner = isOwner(viewer, systemId)
  const key = `${systemId} ${owner}`
  let answer = asked.get(key)
  if (!answer) {
    answer = frontersOf(deps, viewer, systemId, owner).finally(() => asked.delete(key))
    asked.set(key, answer)
  }
  return answer
}

async function frontersOf(deps: Deps, viewer: Viewer, systemId: number, owner: boolean) {
  const front = await getFronters(deps, viewer, await getSystemById(deps.db, systemId))
  return front && showFront(front, owner)
}

/** Whether the caller is still who it was: its token may have been revoked, its system deleted. */
async function isStill(deps: Deps, request: Request, viewer: Viewer): Promise<boolean> {
  const { pathname } = new URL(request.url)
  const caller = await findCaller(deps, '', request.headers, pathname)
  return caller.viewer.system === viewer.system
}

function readLastEventId(headers: Headers): number | null {
  const text = headers.get('last-event-id')
  if (text === null || text === '') return null
  if (!/^\d{1,15}$/.test(text)) throw error('badRequest', 'Last-Event-ID must be a number')
  return Number(text)
}
