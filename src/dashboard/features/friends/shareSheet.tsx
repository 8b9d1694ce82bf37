import { friend as table } from '../../../model/friends/friend'
import { api } from '../../api/resources'
import type { Friend } from '../../api/types'
import { showToast } from '../../core/actions'
import { problemsOf } from '../../core/form'
import { sharingStrings, strings } from '../../texts/texts'
import { useLocalForm } from '../../ui/form/formState'
import { Form } from '../../ui/form/textField'
import { SaveButtons } from '../../ui/saveButtons'
import { Sheet } from '../../ui/sheet'
import { nameOfFriend, useBuckets } from './friends'
import { FriendNameField } from './nameField'
import { ShareFields } from './shareFields'

interface Props {
  friend: Friend
  onClose: () => void
  onDone: () => void
}

/** Edits what a friend sees, and the own name for the friend. */
export function ShareSheet({ friend, onClose, onDone }: Props) {
  const buckets = useBuckets()
  const form = useLocalForm({
    id: 'friend',
    values: { name: friend.name ?? '', share: friend.share },
    check: ({ name }) => problemsOf(table, { values: { name } }),
    async save({ name, share }) {
      if (!form.isChanged) return onClose()
      await api.friends.patch(friend.id, { name: name.trim() || null, share })
      showToast({ text: strings.isSaved })
      onDone()
    },
  })
  const { share } = form.values
  return (
    <Sheet
      heading={sharingStrings.whatTheySeeNamed(nameOfFriend(friend))}
      isChanged={form.isChanged}
      onClose={onClose}
    >
      <Form onSubmit={form.onSubmit}>
        <ShareFields
          buckets={buckets}
          share={share}
          onChange={(patch) => form.change('share', { ...share, ...patch })}
        />
        <FriendNameField
          hint={sharingStrings.ownNameMore}
          placeholder={friend.system?.name ?? ''}
          {...form.field('name')}
        />
        <SaveButtons isNew={false} isBusy={form.isBusy} problem={form.problem} />
      </Form>
    </Sheet>
  )
}
