import { Elysia } from 'elysia'
import type { Events } from '../../events/events'
import type { Deps } from '../../service/core/deps'
import type { ApiModule } from '../server/apiModule'
import { requireWriteAccess } from '../server/routeGroup'
import { archiveRoutes } from './archive'
import { bucketListRoutes, bucketRoutes } from './buckets'
import { fieldListRoutes, fieldRoutes } from './fields'
import { friendRoutes } from './friends'
import { frontRoutes } from './front'
import { frontNoteListRoutes, frontNoteRoutes } from './frontNotes'
import { groupRoutes } from './groups'
import { memberRoutes } from './members'
import { noteListRoutes, noteRoutes } from './notes'
import { originRoutes, pictureRoutes } from './pictures'
import { pollListRoutes, pollRoutes } from './polls'
import { postListRoutes, postRoutes, roomRoutes } from './posts'
import { pushRoutes } from './push'
import { reminderListRoutes, reminderRoutes } from './reminders'
import { extSettingsRoutes } from './settings'

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
        .use(frontNoteListRoutes(deps, bodyLimit))
        .use(frontNoteRoutes(deps, bodyLimit))
        .use(extSettingsRoutes(deps, bodyLimit))
        .use(noteListRoutes(deps, bodyLimit))
        .use(memberRoutes(deps, bodyLimit))
        .use(fieldListRoutes(deps, bodyLimit))
        .use(fieldRoutes(deps, bodyLimit))
        .use(groupRoutes(deps, bodyLimit))
        .use(noteRoutes(deps, bodyLimit))
        .use(postListRoutes(deps, bodyLimit))
        .use(roomRoutes(deps, bodyLimit))
        .use(postRoutes(deps, bodyLimit))
        .use(pollListRoutes(deps, bodyLimit))
        .use(pollRoutes(deps, bodyLimit))
        .use(reminderListRoutes(deps, bodyLimit))
        .use(reminderRoutes(deps, bodyLimit))
        .use(bucketListRoutes(deps, bodyLimit))
        .use(bucketRoutes(deps, bodyLimit))
        .use(friendRoutes(deps, events, bodyLimit))
        .use(archiveRoutes(deps, bodyLimit))
        .use(originRoutes(deps, bodyLimit))
        .use(pictureRoutes(deps)),
    policy: { isCacheable: true, hasProblemCodes: true },
    resources: { systems: { hasSystemParam: true } },
  }
}
