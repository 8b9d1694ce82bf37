import { invite } from '../../../model/friends/friend'
import type { Bucket, Share } from '../../api/types'
import { problemsOf } from '../../core/form'
import { useLocalForm } from '../../ui/form/formState'
import { defaultBuckets, defaultShare, type LoadedBuckets } from './friends'

interface Options {
  /** Share to begin with; without it the default. */
  readonly findShare?: ((buckets: readonly Bucket[]) => Share) | undefined
  readonly explain: (cause: unknown) => string
  readonly save: (body: object) => Promise<void>
}

/** Form for the own name of a friend and what the friend sees. The first share follows the buckets. */
export function useShareForm({ data }: LoadedBuckets, { findShare, explain, save }: Options) {
  const form = useLocalForm({
    id: 'friend',
    values: { name: '', chosen: {} as Partial<Share> },
    check: ({ name }) => problemsOf(invite, { values: { name } }),
    explain,
    async save({ name }) {
      // The server creates the first buckets, and puts the friend in one of them.
      const { buckets: _, ...flags } = share
      await save({
        ...(name.trim() !== '' && { name: name.trim() }),
        share: data?.length ? share : flags,
      })
    },
  })
  const buckets = data ?? []
  const initial = findShare?.(buckets) ?? { ...defaultShare, buckets: defaultBuckets(buckets) }
  const { chosen } = form.values
  const share = { ...initial, ...chosen }
  const changeShare = (patch: Partial<Share>) => form.change('chosen', { ...chosen, ...patch })
  return { form, share, changeShare }
}
