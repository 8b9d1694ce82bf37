import { front, membersById, nameOf, unreadPosts } from '../../core/store'
import { frontNoteStrings } from '../../texts/texts'
import { Avatar } from '../../ui/avatar'

/** Links to the boards of fronters that have unread posts. */
export function NewPosts() {
  const boards = (front.value?.members ?? []).flatMap((id) => {
    const member = membersById.value.get(id)
    const count = member && unreadPosts.value[member.uuid]
    return count ? [{ member, count }] : []
  })
  return (
    <section class="card" aria-label={frontNoteStrings.newPostsHere}>
      {boards.map(({ member, count }) => (
        <a key={member.uuid} class="someone" href={`#/chat/board/${member.uuid}`}>
          <Avatar of={member} size="s" />
          {frontNoteStrings.newPosts(count, nameOf(member.id))}
        </a>
      ))}
    </section>
  )
}
