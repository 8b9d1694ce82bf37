import { request } from '../api/client'
import { switchWithStatusesPath } from '../api/paths'
import type { FronterStatus, SerializedSwitch } from '../api/types'

interface SwitchBody {
  readonly members: readonly string[]
  readonly timestamp?: string
}

/** Logs a switch in one request with the statuses of its members. */
export function createWithStatuses(
  { members, ...body }: SwitchBody,
  statuses: readonly FronterStatus[],
): Promise<SerializedSwitch | null> {
  const nonEmpty = statuses.filter(({ status }) => status.trim() !== '')
  return request(switchWithStatusesPath(createUuid()), {
    method: 'PUT',
    body: {
      ...body,
      members: members.map((id) => nonEmpty.find((status) => status.id === id) ?? id),
    },
  })
}

/** `crypto.randomUUID` exists only on https and localhost, and the page works elsewhere, too. */
export function createUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const groups = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20),
  ]
  return groups.join('-')
}
