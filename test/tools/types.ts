import type { systems } from '../../src/db/tables'
import type { routes } from '../../src/http/server/routeGroup'
import type { Redacted, Serialized } from '../../src/model/core/privacy'
import type { Member, MemberDraft, MemberPatch, member } from '../../src/model/members/member'
import type { Settings } from '../../src/model/systems/settings'
import type { System, SystemPatch } from '../../src/model/systems/system'

/**
 * Tests of types derived from the field tables, run by the type checker: a mapped type that is `any`
 * by mistake would pass everywhere else.
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

// @ts-expect-error a member needs a name
export const nameless: MemberDraft = {}

// @ts-expect-error a patch cannot clear a required name
export const erased: MemberPatch = { name: null }

// @ts-expect-error a level is public or private
export const hidden: SystemPatch = { name_privacy: 'secret' }

// @ts-expect-error no field table has this key
export const unknown: SystemPatch = { nickname: 'x' }

export function raw(row: Member): Redacted<typeof member> {
  // @ts-expect-error a row is not redacted: only `redact` applies privacy
  return row
}

export function respond(app: ReturnType<typeof routes>, row: Member, shown: Serialized): void {
  app.get('/shown', async () => shown)
  app.get('/list', async () => [shown])
  app.get('/response', async () => new Response())
  app.get('/nothing', async ({ set }) => {
    set.status = 204
  })
  // @ts-expect-error a route cannot return a row: only serializers create `Serialized`
  app.get('/row', async () => row)
  // @ts-expect-error a route cannot return a list of rows
  app.get('/rows', async () => [row])
  // @ts-expect-error a route cannot return an object that it builds itself
  app.get('/made', async () => ({ name: row.name }))
}
