import { type Draft, entity, type Patch, type Row } from '../core/entity'
import { choiceList, flag, required, timestamp } from '../core/field'
import type { Access } from '../core/privacy'

/** Kinds of push notifications. `front` is for `watch` tokens only, and the only one they may use. */
export const pushKinds = ['reminders', 'posts', 'own_front', 'friends', 'front'] as const
export type PushKind = (typeof pushKinds)[number]

/** A browser that receives push notifications. Its address and keys are never shown. */
export const pushTarget = entity('pushTarget', {
  label: required({ max: 100, doc: 'Name of the browser', example: 'Firefox on Android' }),
  wants: choiceList(pushKinds, {
    doc: 'Kinds of notifications; `watch` tokens use `front` and nothing else',
    example: ['reminders', 'posts'],
  }),
  shows_names: flag(false, { doc: 'Whether notifications contain names and texts' }),
  created: timestamp({ doc: 'When the browser was registered' }),
  last_ok: timestamp({ doc: 'When a message was last accepted by the push service' }),
})

export type PushTarget = Row<typeof pushTarget>
export type PushTargetDraft = Draft<typeof pushTarget>
export type PushTargetPatch = Patch<typeof pushTarget>

/** Address and keys that a browser created for its push messages. */
export interface PushSubscription {
  readonly endpoint: string
  /** Public key and secret of the browser, in Base64url. */
  readonly p256dh: string
  readonly auth: string
}

/**
 * Maximum number of push targets of a system's own sessions and tokens, of a `watch` token, and of a
 * system with all of its tokens.
 */
export const MAX_PUSH_TARGETS = 20
export const MAX_WATCH_TARGETS = 3
export const MAX_TARGETS_OF_SYSTEM = 60

/** Maximum length of the address of a push target. */
export const MAX_ENDPOINT = 2_048

/** Returns the kinds that a caller with this access may ask for. */
export function allowedPushKinds(access: Access | undefined): readonly PushKind[] {
  return pushKinds.filter((kind) => (kind === 'front') === (access === 'watch'))
}

export const pushResults = ['sent', 'retried', 'given_up', 'gone', 'too_large', 'dropped'] as const
export type PushResult = (typeof pushResults)[number]
