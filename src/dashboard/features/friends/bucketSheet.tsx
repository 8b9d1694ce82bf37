import { type SharedKind, sharedKinds, bucket as table } from '../../../model/friends/bucket'
import { api } from '../../api/resources'
import type { Bucket } from '../../api/types'
import { memberWord } from '../../core/store'
import { sharingStrings, strings } from '../../texts/texts'
import { ColorField } from '../../ui/form/fields'
import { FormSheet, useSheetForm } from '../../ui/form/sheetForm'
import { TextField } from '../../ui/form/textField'
import { explainWith } from './friends'

interface Props {
  /** Absent for a new one. */
  bucket: Bucket | undefined
  onClose: () => void
  onDone: () => void
}

/** Adds, edits or deletes a privacy bucket. */
export function BucketSheet({ bucket, onClose, onDone }: Props) {
  const form = useSheetForm({
    id: 'bucket',
    entity: table,
    row: bucket ?? null,
    resource: api.buckets,
    values: {
      name: bucket?.name ?? '',
      about: bucket?.about ?? '',
      emoji: bucket?.emoji ?? '',
      color: bucket?.color ?? '',
      default_for: bucket?.default_for ?? [],
    },
    explain: explainWith(sharingStrings.bucketLimit),
    onDone,
  })
  const chosen = form.values.default_for
  const choose = (kind: SharedKind, isChosen: boolean) =>
    form.change(
      'default_for',
      sharedKinds.filter((other) => (other === kind ? isChosen : chosen.includes(other))),
    )
  const kinds = sharingStrings.defaults(memberWord.value)
  return (
    <FormSheet
      form={form}
      heading={bucket ? sharingStrings.editBucket(bucket.name) : sharingStrings.addBucket}
      onClose={onClose}
      deletion={
        bucket && {
          toast: { text: sharingStrings.isBucketDeleted(bucket.name) },
          confirm: {
            heading: sharingStrings.deleteBucket(bucket.name),
            effect: sharingStrings.deleteBucketEffect,
          },
        }
      }
    >
      <TextField {...form.field('name')} label={strings.name} />
      <TextField {...form.field('about')} label={sharingStrings.bucketAbout} />
      <TextField {...form.field('emoji')} label={sharingStrings.emoji} />
      <ColorField {...form.field('color')} label={sharingStrings.colour} />
      <fieldset class="choice">
        <legend>{sharingStrings.defaultFor}</legend>
        {sharedKinds.map((kind) => (
          <label key={kind} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(kind)}
              onChange={({ currentTarget: { checked } }) => choose(kind, checked)}
            />
            {kinds[kind]}
          </label>
        ))}
      </fieldset>
    </FormSheet>
  )
}
