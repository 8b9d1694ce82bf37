import type { systems } from '../src/db/tables'
import type { routes } from '../src/http/routeGroup'
import type { Member, MemberDraft, MemberPatch, member } from '../src/model/member'
import type { Redacted, Serialized } from '../src/model/privacy'
import type { Settings } from '../src/model/settings'
import type { System, SystemPatch } from '../src/model/system'

/**
 * Types that are derived from the field tables, held by the type checker alone: a mapped type that
 * is quietly `any` would pass everywhere else.
 */
type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

function holds<_ extends true>(): void {}

holds<Equal<System['name'], string | null>>()
holds<Equal<System['name_privacy'], 'public' | 'private'>>()
holds<Equal<Member['name'], string>>()
holds<Equal<Member['tts'], boolean>>()
holds<Equal<Member['message_count'], number>>()
holds<Equal<Settings['proxy_switch'], 'off' | 'new' | 'add'>>()
holds<Equal<(typeof systems.$inferSelect)['color'], string | null>>()
holds<Equal<(typeof systems.$inferSelect)['front_privacy'], 'public' | 'private'>>()
holds<Equal<(typeof systems.$inferSelect)['hid'], string>>()

export const patch: SystemPatch = { name: null }
export const draft: MemberDraft = { name: 'Wren' }

// @ts-expect-error a member without a name cannot be made
export const nameless: MemberDraft = {}

// @ts-expect-error a required name cannot be patched away
export const erased: MemberPatch = { name: null }

// @ts-expect-error a level is public or private
export const hidden: SystemPatch = { name_privacy: 'secret' }

// @ts-expect-error a key that no field table knows
export const unknown: SystemPatch = { nickname: 'x' }

export function raw(row: Member): Redacted<typeof member> {
  // @ts-expect-error a raw row is not seen: only `see` applies privacy
  return row
}

export function leave(app: ReturnType<typeof routes>, row: Member, shown: Serialized): void {
  app.get('/shown', async () => shown)
  app.get('/list', async () => [shown])
  app.get('/response', async () => new Response())
  app.get('/nothing', async ({ set }) => {
    set.status = 204
  })
  // @ts-expect-error a row cannot leave unseen: only wires make what is shown
  app.get('/row', async () => row)
  // @ts-expect-error nor can a list of rows
  app.get('/rows', async () => [row])
  // @ts-expect-error nor what a route puts together by itself
  app.get('/made', async () => ({ name: row.name }))
}
