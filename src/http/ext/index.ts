import { type AnyElysia, Elysia } from 'elysia'
import type { Events } from '../../events/events'
import { listsInFile, type OwnedList } from '../../model/ownedKinds'
import type { Deps } from '../../service/core/deps'
import type { ApiModule } from '../server/apiModule'
import { requireWriteAccess } from '../server/routeGroup'
import { archiveRoutes } from './archive'
import { bucketRoutes } from './buckets'
import { fieldRoutes } from './fields'
import { friendRoutes } from './friends'
import { frontRoutes } from './front'
import { frontNoteRoutes } from './frontNotes'
import { groupRoutes } from './groups'
import { memberRoutes } from './members'
import { noteRoutes } from './notes'
import { originRoutes, pictureRoutes } from './pictures'
import { plainRoutes } from './plain'
import { pollRoutes } from './polls'
import { postRoutes } from './posts'
import { pushRoutes } from './push'
import { reminderRoutes } from './reminders'
import { roomRoutes } from './rooms'
import { extSettingsRoutes } from './settings'

/** Routes of the kinds that differ from the others. */
const peculiar: Partial<Record<OwnedList, (deps: Deps, bodyLimit: number) => AnyElysia>> = {
  fields: fieldRoutes,
  front_notes: frontNoteRoutes,
  notes: noteRoutes,
  rooms: roomRoutes,
  posts: postRoutes,
  polls: pollRoutes,
  reminders: reminderRoutes,
  buckets: bucketRoutes,
}

/** Routes that PluralKit's API does not have. Objects of version 2 never get additional keys. */
export function ext(deps: Deps, events: Events, bodyLimit: number): ApiModule {
  const prefix = '/ext/v1'
  return {
    prefix,
    routes: () =>
      new Elysia({ prefix, normalize: false })
        // Before the check of write access, because `watch` tokens may register browsers.
        .use(pushRoutes(events, bodyLimit))
        .onBeforeHandle(requireWriteAccess)
        .use(frontRoutes(deps, events, bodyLimit))
        .use(extSettingsRoutes(deps, bodyLimit))
        .use(memberRoutes(deps, bodyLimit))
        .use(groupRoutes(deps, bodyLimit))
        .use(listsInFile.map((list) => (peculiar[list] ?? plainRoutes(list))(deps, bodyLimit)))
        .use(friendRoutes(deps, events, bodyLimit))
        .use(archiveRoutes(deps, bodyLimit))
        .use(originRoutes(deps, bodyLimit))
        .use(pictureRoutes(deps)),
    policy: { isCacheable: true, hasProblemCodes: true },
    resources: { systems: { hasSystemParam: true } },
  }
}
