import type { PushSources, UnreadPost } from '../events/push/message'
import { DomainError } from '../model/core/errors'
import { audienceOf, isWatcher, type Redacted, redact, type Viewer } from '../model/core/privacy'
import { member } from '../model/members/member'
import { system, withWatcherVisibility } from '../model/systems/system'
import type { Deps } from '../service/core/deps'
import { findFriend } from '../service/friends/friends'
import { getFronters } from '../service/front/switches'
import { listPosts } from '../service/journal/posts'
import { getMember } from '../service/members/members'
import { getReminder } from '../service/reminders/reminders'
import { getSystem } from '../service/systems/systems'

/** Number of posts of a board among which an unread one is looked for. */
const POSTS = 20

/** Reads what push messages are about through the service, which checks what the viewer may see. */
export function createPushSources(deps: () => Deps): PushSources {
  return {
    async front(viewer) {
      const row = await getSystem(deps(), viewer, '@me')
      const front = await getFronters(deps(), viewer, row)
      const visible = isWatcher(viewer, row.id) ? withWatcherVisibility(row) : row
      const audience = audienceOf(viewer, row.id)
      return {
        system: redact(system, visible, audience).name ?? null,
        names: (front?.members ?? []).map((fronter) => nameOf(redact(member, fronter, audience))),
        hidden: front?.hidden ?? 0,
      }
    },
    unreadPost: (viewer, uuid) => findUnreadPost(deps(), viewer, uuid),
    async reminder(viewer, uuid) {
      const reminder = await nullIfMissing(getReminder(deps(), viewer, uuid))
      return reminder && { name: reminder.name ?? '', text: reminder.text ?? null }
    },
    async friendFront(viewer, uuid) {
      const view = await findFriend(deps(), viewer, uuid)
      // Either side may have turned notifications off since the message was queued.
      if (!view?.front || !view.theirs.announce || !view.friend.notify_me) return null
      const announced = view.front.fronters.filter(({ isAnnounced }) => isAnnounced)
      return {
        name: view.friend.name ?? view.system?.name ?? null,
        names: announced.map(({ member }) => nameOf(member)),
      }
    },
  }
}

async function findUnreadPost(
  deps: Deps,
  viewer: Viewer,
  uuid: string,
): Promise<UnreadPost | null> {
  const recipient = await nullIfMissing(getMember(deps, viewer, uuid))
  if (!recipient) return null
  const page = await listPosts(deps, viewer, { for: uuid }, { limit: POSTS, position: null })
  const post = page.find(({ read }) => !read)
  if (!post) return null
  const author = post.by ? await nullIfMissing(getMember(deps, viewer, post.by)) : null
  return {
    recipient: nameOf(recipient),
    author: author ? nameOf(author) : (post.author_name ?? null),
    text: [post.title, post.text].filter(Boolean).join('\n'),
  }
}

/** Returns null instead of an object that was deleted. */
async function nullIfMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (cause) {
    if (cause instanceof DomainError && cause.status === 404) return null
    throw cause
  }
}

function nameOf({ display_name, name }: Redacted<typeof member>): string {
  return display_name ?? name ?? ''
}
