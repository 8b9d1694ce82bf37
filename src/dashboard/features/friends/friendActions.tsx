import { useEffect, useState } from 'preact/hooks'
import { api } from '../../api/resources'
import type { Friend } from '../../api/types'
import { announce, showToast } from '../../core/actions'
import { isOffline } from '../../core/store'
import { useAction } from '../../core/useAction'
import { sharingStrings } from '../../texts/texts'
import { CheckField } from '../../ui/checkField'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { ProblemText } from '../../ui/problemText'
import { nameOfFriend } from './friends'
import { ShareSheet } from './shareSheet'

interface Props {
  friend: Friend
  reload: () => void
  onRemoved?: () => void
}

/** Actions for a friend: the switch *Notify me*, *What they see*, *Remove friend*. */
export function FriendActions({ friend, reload, onRemoved = () => {} }: Props) {
  const [sheet, setSheet] = useState<'share' | 'remove' | null>(null)
  const { run, problem } = useAction()
  const name = nameOfFriend(friend)
  const close = () => setSheet(null)
  const remove = () =>
    run(async () => {
      await api.friends.remove(friend.id)
      showToast({ text: sharingStrings.isRemoved(name) })
      onRemoved()
      reload()
    })
  return (
    <>
      <NotifySwitch friend={friend} />
      <ProblemText text={problem} />
      <div class="row">
        <button
          type="button"
          aria-label={sharingStrings.whatTheySeeNamed(name)}
          aria-disabled={isOffline.value}
          onClick={() => isOffline.value || setSheet('share')}
        >
          {sharingStrings.whatTheySee}
        </button>
        <button
          type="button"
          class="danger"
          aria-label={sharingStrings.removeNamed(name)}
          aria-disabled={isOffline.value}
          onClick={() => isOffline.value || setSheet('remove')}
        >
          {sharingStrings.remove}
        </button>
      </div>
      {sheet === 'share' && (
        <ShareSheet
          friend={friend}
          onClose={close}
          onDone={() => {
            close()
            reload()
          }}
        />
      )}
      {sheet === 'remove' && (
        <ConfirmSheet
          heading={sharingStrings.removeAsk(name)}
          effect={sharingStrings.removeEffect}
          action={sharingStrings.remove}
          onConfirm={remove}
          onClose={close}
        />
      )}
    </>
  )
}

function NotifySwitch({ friend }: { friend: Friend }) {
  const { id, notify_me, theirs } = friend
  const name = nameOfFriend(friend)
  const [isOn, setOn] = useState(notify_me)
  const { run, problem } = useAction()
  useEffect(() => setOn(notify_me), [notify_me])
  const turn = (next: boolean) =>
    run(async () => {
      setOn(next)
      try {
        await api.friends.patch(id, { notify_me: next })
      } catch (cause) {
        setOn(!next)
        throw cause
      }
      announce(next ? sharingStrings.willNotify(name) : sharingStrings.wontNotify(name))
    })
  return (
    <div>
      <CheckField
        id={`notify-${id}`}
        isSwitch
        label={sharingStrings.notifyMe}
        hint={theirs.announce ? sharingStrings.notifyMore : sharingStrings.notifyOff}
        value={isOn}
        onChange={turn}
      />
      <ProblemText text={problem} />
    </div>
  )
}
