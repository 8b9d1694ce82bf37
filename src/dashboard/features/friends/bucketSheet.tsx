import { useState } from 'preact/hooks'
import { sharedKinds, bucket as table } from '../../../model/friends/bucket'
import { api } from '../../api/resources'
import type { Bucket } from '../../api/types'
import { showToast } from '../../core/actions'
import { memberWord } from '../../core/store'
import { useAction } from '../../core/useAction'
import { sharingStrings, strings } from '../../texts/texts'
import { ColorInput } from '../../ui/colorInput'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { ProblemText } from '../../ui/problemText'
import { SaveButtons } from '../../ui/saveButtons'
import { Sheet } from '../../ui/sheet'
import { findProblems } from '../journal/journal'
import { explainWith } from './friends'

interface Props {
  /** Absent for a new one. */
  bucket: Bucket | undefined
  onClose: () => void
  onDone: () => void
}

/** Adds, edits or deletes a privacy bucket. */
export function BucketSheet({ bucket, onClose, onDone }: Props) {
  const [before] = useState({
    name: bucket?.name ?? '',
    about: bucket?.about ?? '',
    emoji: bucket?.emoji ?? '',
    color: bucket?.color ?? '',
    default_for: bucket?.default_for ?? [],
  })
  const [draft, setDraft] = useState(before)
  const [wasTried, setTried] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const { onSubmit, run, problem, isBusy } = useAction({
    explain: explainWith(sharingStrings.bucketLimit),
  })
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before)
  const problems: Readonly<Record<string, string>> = {
    ...findProblems(table, { ...draft, color: draft.color || null }),
    ...(draft.name.trim() === '' && { name: strings.enterName }),
  }
  const change = (patch: Partial<typeof draft>) => setDraft({ ...draft, ...patch })
  const save = async () => {
    setTried(true)
    if (Object.keys(problems).length > 0) return
    if (bucket && !isChanged) return onClose()
    const body = {
      name: draft.name.trim(),
      about: draft.about.trim() || null,
      emoji: draft.emoji.trim() || null,
      color: draft.color || null,
      default_for: draft.default_for,
    }
    if (bucket) await api.buckets.patch(bucket.id, body)
    else await api.buckets.create(body)
    showToast({ text: bucket ? strings.isSaved : strings.isAdded(body.name) })
    onDone()
  }
  const remove = (of: Bucket) =>
    run(async () => {
      await api.buckets.remove(of.id)
      showToast({ text: sharingStrings.isBucketDeleted(of.name) })
      onDone()
    })
  const field = (key: 'name' | 'about' | 'emoji', label: string) => (
    <div class="field">
      <label for={`bucket-${key}`}>{label}</label>
      <input
        id={`bucket-${key}`}
        value={draft[key]}
        dir="auto"
        autocomplete="off"
        aria-invalid={wasTried && key in problems}
        aria-describedby={`bucket-${key}-problem`}
        onInput={(event) => change({ [key]: event.currentTarget.value })}
      />
      <ProblemText id={`bucket-${key}-problem`} text={wasTried ? (problems[key] ?? '') : ''} />
    </div>
  )
  const kinds = sharingStrings.defaults(memberWord.value)
  return (
    <Sheet
      heading={bucket ? sharingStrings.editBucket(bucket.name) : sharingStrings.addBucket}
      isChanged={isChanged}
      onClose={onClose}
    >
      <form onSubmit={onSubmit(save)} noValidate>
        {field('name', strings.name)}
        {field('about', sharingStrings.bucketAbout)}
        {field('emoji', sharingStrings.emoji)}
        <div class="field">
          <label for="bucket-color">{sharingStrings.colour}</label>
          <ColorInput
            id="bucket-color"
            aria-invalid={wasTried && 'color' in problems}
            aria-describedby="bucket-color-problem"
            value={draft.color}
            onChange={(color) => change({ color })}
          />
          <ProblemText id="bucket-color-problem" text={wasTried ? (problems.color ?? '') : ''} />
        </div>
        <fieldset class="choice">
          <legend>{sharingStrings.defaultFor}</legend>
          {sharedKinds.map((kind) => (
            <label key={kind} class="check">
              <input
                type="checkbox"
                checked={draft.default_for.includes(kind)}
                onChange={({ currentTarget: { checked } }) =>
                  change({
                    default_for: sharedKinds.filter((one) =>
                      one === kind ? checked : draft.default_for.includes(one),
                    ),
                  })
                }
              />
              {kinds[kind]}
            </label>
          ))}
        </fieldset>
        <SaveButtons
          isNew={!bucket}
          isBusy={isBusy}
          problem={problem}
          onDelete={bucket && (() => setDeleting(true))}
        />
      </form>
      {bucket && isDeleting && (
        <ConfirmSheet
          heading={sharingStrings.deleteBucket(bucket.name)}
          effect={sharingStrings.deleteBucketEffect}
          action={strings.delete}
          onConfirm={() => remove(bucket)}
          onClose={() => setDeleting(false)}
        />
      )}
    </Sheet>
  )
}
