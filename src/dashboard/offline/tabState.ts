import { signal } from '@preact/signals'
import { system } from '../core/store'
import type { DeviceRecord } from './device'
import type { QueuedSwitch } from './queue'

/** Record of this device; null if this session may store nothing. */
export const device = signal<DeviceRecord | null>(null)
/** Switches of this browser that wait to be sent. */
export const queue = signal<readonly QueuedSwitch[]>([])

/** Returns a check for switches of another system than the one that is logged in. */
export function isOfOtherSystem(): (queued: QueuedSwitch) => boolean {
  const uuid = device.value?.system ?? system.value?.uuid
  return (queued) => uuid !== undefined && queued.system !== uuid
}

export function isOwn(queued: QueuedSwitch): boolean {
  return !isOfOtherSystem()(queued)
}
