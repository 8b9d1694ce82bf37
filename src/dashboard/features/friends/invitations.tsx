import { parseInstant } from '../../../model/core/time'
import { api } from '../../api/resources'
import type { Invitation } from '../../api/types'
import { showToast } from '../../core/actions'
import { formatter } from '../../core/appearance'
import type { useQuery } from '../../core/useQuery'
import { now } from '../../lib/clock'
import { sharingStrings } from '../../texts/texts'
import { RowList } from '../../ui/rowList'

interface Props {
  open: ReturnType<typeof useQuery<readonly Invitation[]>>
}

/** Open invitations, each with a button that withdraws it; nothing without one. */
export function Invitations({ open: { data, reload } }: Props) {
  const withdraw = async ({ id }: { id: string }) => {
    await api.invitations.remove(id)
    showToast({ text: sharingStrings.isWithdrawn })
    // The button that had the focus is gone with its row.
    document.querySelector('h1')?.focus()
    reload()
  }
  if (!data?.length) return null
  return (
    <section class="card">
      <h2>{sharingStrings.open}</h2>
      <RowList
        rows={data.map((invitation) => ({
          ...invitation,
          name: invitation.name || sharingStrings.anInvitation,
        }))}
        describe={({ expires }) =>
          sharingStrings.until(formatter.value.date(parseInstant(expires) ?? now.value))
        }
        action={sharingStrings.withdraw}
        label={sharingStrings.withdrawNamed}
        onAction={withdraw}
      />
    </section>
  )
}
