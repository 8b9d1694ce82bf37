import type { FronterStatus } from '../api/types'
import { mergeSwitches, type Switch, type Switches } from '../core/history'
import { members, recordedSwitches } from '../core/store'
import { isUnsent, type QueuedSwitch } from './queue'
import { isOwn, queue } from './tabState'

/** Display of waiting switches among those of the server. */

/** Number of own switches that wait for the network. */
export function countWaiting(): number {
  return queue.value.filter((queued) => isUnsent(queued) && isOwn(queued)).length
}

/** Returns a waiting switch in the form of the history, with short IDs. */
export function toSwitch({ uuid, timestamp, members: uuids }: QueuedSwitch): Switch {
  const ids = uuids.flatMap(
    (memberUuid) => members.value.find((member) => member.uuid === memberUuid)?.id ?? [],
  )
  return { id: uuid, timestamp, members: ids }
}

/** Adds waiting switches to those of the server, and leaves out those that wait to be deleted. */
export function applyQueue(recorded: Switches): Switches {
  const queueds = queue.value.filter(isOwn)
  if (queueds.length === 0) return recorded
  const deleted = queueds.filter(({ kind }) => kind === 'delete').map(({ uuid }) => uuid)
  const knownIds = new Set([...recorded.map(({ id }) => id), ...deleted])
  const added = queueds
    .filter(({ kind, uuid }) => kind === 'put' && !knownIds.has(uuid))
    .map(toSwitch)
  return mergeSwitches(
    recorded.filter(({ id }) => !deleted.includes(id)),
    added,
  )
}

/** Returns the statuses of a waiting switch by the short IDs of members. */
export function statusesOf(queued: QueuedSwitch | undefined): FronterStatus[] {
  return (queued?.statuses ?? []).flatMap(({ id, status }) => {
    const member = members.value.find(({ uuid }) => uuid === id)
    return member && status.trim() !== '' ? [{ id: member.id, status }] : []
  })
}

/** Adds the statuses of waiting switches. A status ends with the stint of its member. */
export function applyStatuses(recorded: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const since = recordedSwitches.value[0]?.timestamp ?? Number.NEGATIVE_INFINITY
  const later = queue.value
    .filter((queued) => queued.kind === 'put' && isOwn(queued) && queued.timestamp > since)
    .toSorted((a, b) => a.timestamp - b.timestamp)
  let statuses = recorded
  for (const queued of later) {
    const here = toSwitch(queued).members
    const set = statusesOf(queued).map(({ id, status }): [string, string] => [id, status])
    statuses = new Map([...[...statuses].filter(([id]) => here.includes(id)), ...set])
  }
  return statuses
}
